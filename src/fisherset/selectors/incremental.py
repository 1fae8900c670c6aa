"""Selectors that can be fitted row by row: sums are kept, rows are not."""

from __future__ import annotations

import warnings
from typing import Any, Self

from fisherset._docs import documented
from fisherset.selectors.joint import JointSelector
from fisherset.statistics.measured import FitArguments, reject_data_arguments
from fisherset.statistics.reader import check_targets_vary, classified
from fisherset.statistics.summary import Summary, summarize_table
from fisherset.validation.parameters import shown
from fisherset.validation.table import check_table
from fisherset.validation.targets import encode_labels


class IncrementalSelector(JointSelector):
    """A selector with `fit`, and with `partial_fit`, which keeps a summary of the rows of all calls."""

    summary_: Summary

    @documented
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, confounders: Any = None) -> Self:
        """Select the features.

        Parameters
        ----------
        %(X, y, sample_weight, confounders)

        Returns
        -------
        self : object
            The fitted selector.
        """
        self._keep_optional("summary_", None)
        self._keep_optional("_all_labels", None)
        self._fit(X, y, FitArguments(sample_weight, confounders=confounders))
        self._keep_optional("summary_", X if isinstance(X, Summary) else None)
        return self

    @documented
    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None, confounders: Any = None
    ) -> Self:
        """Add samples to those of earlier calls, and select from all of them.

        The products of all columns are kept as `summary_`, 8 bytes for each pair of columns. After
        `fit(summary)` it adds to that summary; after `fit` on rows, of which nothing is kept, it begins
        anew, with a warning. As long as all samples are of one class, or a target is the same for all,
        nothing is selected.

        Parameters
        ----------
        %(X, y)
        classes : array-like, default=None
            All labels that y may hold, now or in a later call; others are refused. None to accept any.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.
        confounders : array-like of shape (n_samples, n_confounders), default=None
            Numbers that features and targets are adjusted for, as many in every call.

        Returns
        -------
        self : object
            The selector.
        """
        self._check_parameters()
        self._check_gradual()
        if hasattr(self, "support_") and not hasattr(self, "summary_"):
            # scikit-learn's checks call it after fit, so that it cannot be refused
            warnings.warn(
                "partial_fit begins anew with these rows, as fit keeps no sums to add them to. Call "
                "partial_fit(X, y) or fit(summarize(X, y)) in place of fit to go on from its rows.",
                UserWarning,
                stacklevel=2,
            )
            self._forget()
        before = getattr(self, "summary_", None)
        check_table(self, X, out_of_core=True, reset=before is None, least_rows=1)
        if isinstance(X, Summary):
            reject_data_arguments(y, FitArguments(sample_weight, confounders=confounders))
            part = X
        else:
            more = {"sample_weight": sample_weight, "confounders": confounders, "task": self._task}
            part = summarize_table(X, y, max_memory=self.max_memory, digested=False, **more)
        known = getattr(self, "_all_labels", None) if classes is None else encode_labels(classes)[0].tolist()
        foreign = [label for label in part.classes.tolist() if known is not None and label not in known]
        if foreign:
            raise ValueError(f"y must hold labels among classes; got {shown(foreign[0])}.")
        whole = part if before is None else before.merge(part, check=False)
        weighed = sample_weight is not None or (before is not None and "sample_weight" in self._fitted_with)
        if _tells_apart(whole):
            self._fit(whole, None, FitArguments())
        if weighed:
            self._fitted_with = tuple(dict.fromkeys([*self._fitted_with, "sample_weight"]))
        self.summary_, self._all_labels = whole, known
        return self

    def _forget(self) -> None:
        """Drop all that was fitted: rows of one class would leave the answer of others."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("__")]:
            delattr(self, name)

    def _check_gradual(self) -> None:
        """Refuse what cannot be done without the earlier rows."""
        if self.class_weight is not None:
            raise ValueError(
                "class_weight must be None for partial_fit, as classes change with the rows to come; got "
                f"{shown(self.class_weight)}. Pass sample_weight."
            )
        if self.missing != "error":
            raise ValueError(
                f'missing must be "error" for partial_fit, as means change with the rows to come; got '
                f"{shown(self.missing)}. Impute X first."
            )


def _tells_apart(summary: Summary) -> bool:
    """Whether there is something to select by yet."""
    try:
        check_targets_vary(classified(summary.gathered), summary.roles)
    except ValueError:
        return False
    return summary.n_samples > 1
