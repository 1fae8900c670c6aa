"""scipy.sparse, loaded when the first matrix is made: a table without one is read, or refused, sooner."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy import sparse
else:

    class _Sparse:
        """The module, as far as it is needed."""

        def issparse(self, X: Any) -> bool:
            # before it is loaded nothing can be one of its matrices
            known = getattr(sys.modules.get("scipy.sparse"), "issparse", None)
            return known is not None and known(X)

        def __getattr__(self, name: str) -> Any:
            import scipy.sparse

            return getattr(scipy.sparse, name)

    sparse = _Sparse()

__all__ = ["sparse"]
