"""The Generalized Fisher Score: features chosen together, with a certificate."""

from __future__ import annotations

from typing import Any, Self

from fisherset.selectors.incremental import IncrementalSelector
from fisherset.statistics.measured import FitArguments


class GeneralizedFisherScore(IncrementalSelector):
    """Select the features that separate the classes best *together*.

    Of all subsets A of k features it looks for the one with the largest regularised
    Fisher criterion of Gu, Li and Han (2011)::

        F(A) = tr{ S_b (S_t + gamma I)^-1 }        on the features A

    so that features that only help in company are found and redundant ones left out.
    A convex relaxation bounds F over *all* subsets of that size; `gap_` therefore says
    how far the answer can be from the best one at most.

    Parameters
    ----------
    n_features_to_select : int or float, default=None
        How many features to select; a float in (0, 1) is a share of them, None half.
    gamma : float or "scale", default="scale"
        The regulariser. Small values trust correlations between features, large ones
        approach the ranking of :class:`FisherScore`. A number is the paper's gamma as
        it is. "scale" is the least one, from `n_samples` up, at which features
        that are copies of each other still stay ahead of the noise features the data
        seems to have; without `standardize` it is times the mean variance.
    solver : {"joint", "cutting-plane", "exact"}, default="joint"
        "joint" solves the relaxation at m = k, rounds it and exchanges features until
        no exchange helps (where there are over ten million exchanges, until none is
        worth a thousandth of `tol`). "cutting-plane" is Algorithm 1 of the paper: the union of
        the cuts, with m raised until the union has k features. "exact" goes on from "joint" by
        branch and bound until the set is proven to be the best, or a limit is reached; Ctrl-C
        then ends the search with the best set so far, and a warning.
    standardize : bool, default=True
        Scale the features to standard deviation 1, as the paper does. They are always
        centred. X itself is not changed.
    tol : float, "auto" or None, default="auto"
        The relaxation is solved until its bound is within this share of its value; "auto" is 1e-3, or
        up to a twentieth of the gap where that is over a tenth, as it is at a small gamma.
        With "exact", the `gap_` at which the search stops; "auto" is none but for rounding. None for
        a selection without certificate, in less time: `upper_bound_` is then what bounds every
        subset anyway, as it does `objective_`, or better if that comes for nothing.
    max_iter : int, default=1000
        Most iterations of the relaxation, of the cuts for one m, and of the exchange.
    time_limit : float, default=None
        Seconds after which the search stops with what it has; the certificate stays
        valid. None for no limit.
    max_nodes : int, default=None
        Most nodes that "exact" looks at, after which it stops likewise. None for no limit.
    verbose : int, default=0
        Show each iteration: objective, bound, gap and number of active features; of "exact" the
        nodes looked at and those still open, and the seconds since the start.
    groups : array-like or mapping, default=None
        Features that are chosen together or not at all, such as the indicators of a category: a
        label for each feature, or names of groups with their columns; a feature in none of these
        is a group of its own. `n_features_to_select` then counts groups.
    keep, exclude : array-like, default=None
        Features that must be selected, which count towards `n_features_to_select`, and that must
        not be: names, numbers or a mask. With `groups` labels of groups, or any of their columns;
        where groups are numbered a number is a group, and a mask names columns. The certificate is over
        the sets that respect them.
    class_weight : "balanced", "sqrt" or mapping, default=None
        Weight of the samples of each class, times `sample_weight`: "balanced" makes all classes
        weigh the same, "sqrt" in proportion to the root of their size, a mapping of labels to
        weights says so itself.
    adjust_for : array-like, default=None
        Features that are not selected, but whose linear effect is taken out of the others and of
        the classes, as that of the `confounders` of `fit` is: names, numbers or a mask. The rest of
        the groups they are in is not selected either.
    missing : {"error", "mean"}, default="error"
        What to do about NaN in X: refuse it, or let it count as the mean of its column, so that it
        adds nothing to any sum; nothing is copied. `n_missing_` says how many there are, and
        `transform` leaves them as they are.
    max_memory : int or str, default=None
        Bytes that may be held besides the table, such as "2GB"; None for about a gigabyte, and for
        what rows in memory need. What cannot be done with it is refused with the number it takes.

    Attributes
    ----------
    support_ : ndarray of shape (n_features,)
        Mask of the selected features, exactly `n_features_to_select` of them, or groups of them.
    ranking_ : ndarray of shape (n_features,) or (n_groups,)
        1 for the best feature or group, without ties. The selected come first, ordered by what
        F would lose without each; then the others by their weight in `scores_`; the excluded last.
    scores_ : ndarray of shape (n_features,) or (n_groups,)
        Weight q of each feature or group in the convex relaxation, between 0 and 1: how much of it
        the best *mixture* of sets holds, as far as the relaxation was solved; with "cutting-plane" a
        mixture of the cuts. By itself it proves nothing: a weight of 1 does not say that all good
        sets have the feature, nor 0 that none has. `proven_` says what is proven.
    n_missing_ : ndarray of shape (n_features,)
        Number of missing values of each feature; with `missing="mean"` only.
    groups_ : list
        Labels of the groups, in the order of their first features; with `groups` only.
    objective_ : float
        F of the selected subset, at most `n_classes - 1`, or the number of labels where y holds
        sets of them.
    upper_bound_ : float
        No subset of that size has a larger F.
    gap_ : float
        `(upper_bound_ - objective_) / upper_bound_`.
    optimal_ : bool
        Whether it is proven that no subset of that size is better, but for rounding: by exact search,
        or because the bound is that sharp.
    n_nodes_ : int
        Nodes that exact search looked at; 0 where none was needed.
    upper_bound_with_, upper_bound_without_ : ndarray of shape (n_features,) or (n_groups,)
        No subset of that size with the feature or group, and none without it, has a larger F;
        -inf where there is no such subset, as with what is excluded and without what is kept.
    proven_ : Proven
        What follows: masks of the features or groups that are `in_every` subset as good as the
        selected one, and `in_none`; the others are open. Printed, it is a sentence.
    status_ : Status
        How the search ended; `status_.value` is a sentence with what to do, and anything but
        `CONVERGED` is warned of.
    noise_ : Noise
        How many features look unrelated to the classes, what the luckiest of them would reach
        by chance, and how many of the selected exceed that; printed, it is a sentence.
    gamma_ : float
        The regulariser used.
    trace_ : tuple of Iteration
        Phase, objective, upper bound and number of active features of each iteration.
        In the phases "relaxation" and "cuts" the objective is F(q); the bound of "cuts"
        is for subsets of the size m they name. In the phase "exact" the active are the open nodes.
    n_iter_ : int
        Number of iterations.
    n_passes_ : int
        How many times the data was read.
    classes_ : ndarray of shape (n_classes,)
        The class labels; with sets of labels what the columns of y are called, or their numbers.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X had names that are all strings.

    See Also
    --------
    certify : Grade a subset that came from elsewhere.
    fisher_criterion : F of any subset.
    FisherScore : Score the features one by one.

    Notes
    -----
    Constant features are selected only when nothing else is left, with a warning.
    Ties go to the earlier column, and nothing is random: the same input gives the same
    answer. Neither the n_features x n_features Gram matrix nor a standardised copy of
    X is formed, and sparse data stays sparse.

    F is comparable at one gamma only, and "scale" depends on the number of features and on
    what may be chosen: to compare, pass `gamma_` of one fit to the other.

    References
    ----------
    Q. Gu, Z. Li, J. Han: Generalized Fisher Score for Feature Selection. UAI 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from fisherset import GeneralizedFisherScore
    >>> X, y = load_digits(return_X_y=True)
    >>> selector = GeneralizedFisherScore(10).fit(X, y)
    >>> selector.transform(X).shape
    (1797, 10)
    >>> print(f"F = {selector.objective_:.3f}, at most {selector.gap_:.1%} below the best")
    F = 2.134, at most 7.2% below the best

    Exact search closes the gap, here in a second:

    >>> selector = GeneralizedFisherScore(10, solver="exact").fit(X, y)
    >>> selector.optimal_, f"{selector.gap_:.1%}"
    (True, '0.0%')

    Where the bound is sharp, it decides about single features, too:

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = GeneralizedFisherScore(10).fit(X, y)
    >>> print(selector.proven_)
    Proven of the 30 features: 20 are in no set as good as this one, 10 are in every one; none is open.

    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        gamma: float | str = "scale",
        solver: str = "joint",
        standardize: bool = True,
        tol: float | str | None = "auto",
        max_iter: int = 1000,
        time_limit: float | None = None,
        max_nodes: int | None = None,
        verbose: int = 0,
        groups: Any = None,
        keep: Any = None,
        exclude: Any = None,
        class_weight: Any = None,
        adjust_for: Any = None,
        missing: str = "error",
        max_memory: int | float | str | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.gamma = gamma
        self.solver = solver
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.max_nodes = max_nodes
        self.verbose = verbose
        self.groups = groups
        self.keep = keep
        self.exclude = exclude
        self.class_weight = class_weight
        self.adjust_for = adjust_for
        self.missing = missing
        self.max_memory = max_memory

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, confounders: Any = None) -> Self:
        """Select the features.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
            The samples; or a table that stays where it is and brings its targets, as `scan` gives, or a
            :class:`Summary` of one. Dask arrays and data frames stay where they are, too.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Their class labels, of any hashable kind; or sets of labels, as a table of noughts and
            ones, dense or sparse, with a column for each label: H of Eq. (9) is then its
            standardised columns.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples; a weight of 2 counts as a sample given twice.
        confounders : array-like of shape (n_samples, n_confounders), default=None
            What is known to act on features and classes, such as the batch or the age: numbers, or
            labels (texts or categories), of which each value counts by itself. Batches that are
            numbered are numbers: pass them as texts. The linear effect is taken out of features and
            classes, so that what is selected tells what the confounders do not.

        Returns
        -------
        self : GeneralizedFisherScore
            The fitted selector.
        """
        return self._fit_anew(X, y, FitArguments(sample_weight, self.class_weight, confounders))
