"""Selections that follow the rows as they come: sums are kept, rows are not."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from fisherset.selectors import _validation as check
from fisherset.selectors._labels import encode_labels
from fisherset.selectors._parameters import shown
from fisherset.selectors.joint import JointSelector
from fisherset.selectors.measured import Beside
from fisherset.selectors.summary import Summary, summarize


class IncrementalSelector(JointSelector):
    """A selector that keeps a summary of the rows it was given bit by bit."""

    summary_: Summary

    def _fit_anew(self, X: Any, y: Any, beside: Beside) -> Self:
        """Forget the rows of earlier calls, and select."""
        if hasattr(self, "summary_"):
            del self.summary_
        return self._fit(X, y, beside)

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None, confounders: Any = None
    ) -> Self:
        """Add samples to those of earlier calls, and select from all of them.

        The products of all columns are kept as `summary_`, 8 bytes for each pair of columns; `fit` begins
        anew. As long as all samples are of one class nothing is selected.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
            More samples.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Their targets, as in `fit`.
        classes : array-like, default=None
            All labels there may ever be; others are refused. None to take them as they come.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.
        confounders : array-like of shape (n_samples, n_confounders), default=None
            What is taken out of features and targets: numbers, as many in every call.

        Returns
        -------
        self : object
            The selector.
        """
        self._check_parameters()
        before = getattr(self, "summary_", None)
        check.check_table(self, X, elsewhere=True, reset=before is None, least_rows=1)
        more = {"sample_weight": sample_weight, "confounders": confounders, "task": self._task}
        part = X if isinstance(X, Summary) else summarize(X, y, max_memory=self.max_memory, **more)
        if classes is not None:
            known = set(encode_labels(classes)[0].tolist())
            foreign = [label for label in part.classes.tolist() if label not in known]
            if foreign:
                raise ValueError(f"y must hold labels among classes; got {shown(foreign[0])}.")
        whole = part if before is None else before + part
        enough = part.roles.targets.size or np.count_nonzero(whole.gathered.counts) > 1
        if enough and whole.n_samples > len(whole.gathered.labels):
            self._fit(whole, None, Beside(class_weight=getattr(self, "class_weight", None)))
        self.summary_ = whole
        return self
