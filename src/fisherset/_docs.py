"""Docstring entries of the parameters and attributes that several public classes and functions share.

A line `%(gamma, solver)` in the docstring of something `documented` stands for these entries, in the words
below. A name with a suffix, as `gamma.path`, is another wording of the same parameter.
"""

from __future__ import annotations

import re
from textwrap import indent
from typing import Any, TypeVar

T = TypeVar("T")

_ENTRIES = """\
X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features), or a table
    The samples; or a table from `scan` or a :class:`Summary`, which bring their own targets. Dask arrays
    and data frames stay out of core, too.
X.rows : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
    The samples.
y : array-like of shape (n_samples,) or (n_samples, n_targets)
    Class labels of any hashable kind; sets of labels, as a table of zeros and ones, dense or sparse, with a
    column for each label: H of Eq. (9) is then its standardised columns; or one or several numbers for a
    regression. None for a table that brings its own.
y.labels : array-like of shape (n_samples,)
    Class labels of any hashable kind; None for a table from `scan` or a :class:`Summary`.
y.classes : array-like of shape (n_samples,)
    Class labels of the samples.
y.numbers : array-like of shape (n_samples,)
    The target, numbers.
sample_weight : array-like of shape (n_samples,), default=None
    Weights of the samples; a weight of 2 counts as a sample given twice.
confounders : array-like of shape (n_samples, n_confounders), default=None
    Variables known to act on features and target, such as the batch or the age: numbers, or labels
    (strings or categories), of which each value counts by itself. Batches that are numbered are numbers:
    pass them as strings. Features and target are adjusted for their linear effect, so that the selected
    features tell what the confounders do not.
features : array-like
    The subset: column numbers, column names, or a boolean mask.
features.columns : array-like
    Column numbers, column names, or a boolean mask; the numbers and names in any order.
features.optional : array-like, default=None
    Column numbers, column names, or a boolean mask; None for all.
names.columns : sequence of str, default=None
    Names of all columns; None for those of X, or their numbers.
gamma.positive : float
    The regulariser, positive.
ax : matplotlib Axes, default=None
    Where to plot; a new figure when None.
n_features_to_select : int or float, default=None
    Number of features to select; a float in (0, 1) is a share of them, None half.
gamma : float or "scale", default="scale"
    The regulariser. Small values trust correlations between features, large ones approach the ranking of
    :class:`FisherScore`. A number is the paper's gamma as it is. "scale" is the least one, from
    `n_samples / 10` up, at which features that are copies of each other still
    stay ahead of the noise features the data seems to have; without `standardize` it is times the mean
    variance.
solver : {"joint", "cutting-plane", "exact"}, default="joint"
    "joint" solves the relaxation at m = k, rounds it and swaps features until no swap helps (where there
    are over ten million swaps, until none is worth a thousandth of `tol`). "cutting-plane" is Algorithm 1
    of the paper: the union of the cuts, with m raised until the union has k features. "exact" goes on from
    "joint" by branch and bound until the set is proven to be the best, or a limit is reached; Ctrl-C then
    ends the search with the best set so far, and a warning.
standardize : bool, default=True
    Scale the features to standard deviation 1, as the paper does. They are always centred. X itself is
    not changed.
tol : float, "auto" or None, default="auto"
    The relaxation is solved until its bound is within this share of its value; "auto" is 1e-3, or up to a
    twentieth of the gap where that is over a tenth, as it is at a small gamma. With "exact", the gap at
    which the search stops; "auto" stops at rounding error. None for a selection without certificate, in
    less time: the upper bound is then one that holds for every subset, or better if that comes for nothing.
max_iter : int, default=1000
    Most iterations of the relaxation, of the cuts for one m, and of the swaps.
time_limit : float, default=None
    Seconds after which the search stops with what it has; bounds stay valid. None for no limit.
max_nodes : int, default=None
    Most nodes of exact search, after which it stops likewise. None for no limit.
verbose : int, default=0
    Show each iteration: objective, bound, gap and number of active features; of "exact" the number of
    nodes visited and still open, and the seconds since the start.
groups : array-like or mapping, default=None
    Features that are selected together or not at all, such as the indicators of a category: a label for
    each feature, or names of groups with their columns; a feature in none of these is a group of its own.
    Sizes then count groups.
keep : array-like, default=None
    Features that must be selected, which count towards the size: names, numbers or a mask; patterns such as
    `"MT-*"`, unless a feature has that very name; or a `pathlib.Path` of a file with a name per line, or of a
    selection.json. With `groups` labels of groups, or any of their columns; where groups are numbered a
    number is a group, and a mask names columns. Bounds are over the sets that respect it.
exclude : array-like, default=None
    Features that must not be selected, given as in `keep`.
exclude.explain : array-like, default=None
    Features that are no substitute for others: names, numbers or a mask, or labels of groups.
class_weight : "balanced", "sqrt" or mapping, default=None
    Weight of the samples of each class, times `sample_weight`: "balanced" makes all classes weigh the
    same, "sqrt" in proportion to the root of their size, a mapping of labels to weights says so itself.
adjust_for : array-like, default=None
    Features that are not selected, but for whose linear effect the others and the target are adjusted,
    as for `confounders`; given as in `keep`. The name of a column of strings means all its features
    `column=value`. The rest of their groups is not selected either.
missing : {"error", "mean"}, default="error"
    Treatment of NaN in X: refuse it, or let it count as the mean of its column, so that it adds nothing to
    any sum; nothing is copied.
task : {"classification", "regression"}, default="classification"
    Whether y holds classes, or numbers as in :class:`JointRegressionScore`.
max_memory : int or str, default=None
    Bytes that may be held besides the table, such as "2GB"; None for about a gigabyte, and for what rows
    in memory need. What cannot be done with it is refused with the number it takes.
n_features_to_select.cv : int, float, "auto" or sequence, default=None
    Number of features to select; a float in (0, 1) is a share of them, None half. Of a sequence the best is
    taken, of equals the smallest. "auto" takes the smallest of 1, 2, 3, 5, 8, ..., 200 that is within one
    standard error of the best.
gammas : sequence of float or "scale", default=None
    The regularisers to choose from; of equals the largest is taken. None for nine multiples of `n_samples`.
    With classes they lie between 0.01 and 64, and the best is the one with the best scores around it: single
    scores are uncertain; of equals the nearest to "scale". With numbers they lie between 0.01 and 16, and
    "scale" stays unless one is better by more than one standard error of the difference.
cv : int, splitter or iterable, default=5
    As in scikit-learn: a number of folds, stratified for classes, a splitter, or pairs of rows.
scoring : str or callable, default=None
    A scorer of scikit-learn. None for the accuracy, with sets of labels for the R^2 of their indicators,
    and with numbers for R^2, the mean over the targets. Where `estimator` is None, too, the accuracy is the
    mean of that of the discriminant and of that of the nearest neighbour.
estimator : estimator, default=None
    Is fitted on the selected features of each training part. None for a regularised linear discriminant,
    or with sets of labels and numbers a linear regression with a little ridge, which need the statistics
    only. See `scoring` for the nearest neighbour.
n_jobs : int, default=None
    Folds in parallel threads.
n_neighbors : int, default=5
    Neighbours of each sample in the graph, Euclidean; all others where there are not as many. There is an
    edge where either sample is a neighbour of the other.
kernel : {"heat", "binary"}, default="heat"
    Weight of an edge: exp(-||x_i - x_j||^2 / bandwidth), or 1.
bandwidth : float or "median", default="median"
    Of the heat kernel; "median" is the median squared distance of neighbours (their mean where most are
    copies of each other).
supervised : bool, default=False
    Search for neighbours within the class of a sample only; needs y, with two or more classes.
n_features_ : int
    The chosen number of features.
cv_results_ : dict of ndarray
    `param_gamma`, `param_n_features_to_select`, `mean_test_score`, `std_test_score`, `rank_test_score` and a
    `split*_test_score` for each fold; one entry for each pair. The gammas are those of the whole table.
best_score_ : float
    Mean score of the choice: that of `scoring`, over the folds.
support_ : ndarray of shape (n_features,)
    Mask of the selected features.
ranking_ : ndarray of shape (n_features,) or (n_groups,)
    1 for the best feature or group, without ties. The selected come first, ordered by what F would lose
    without each; then the others by their weight in `scores_`; the excluded last.
ranking_.single : ndarray of shape (n_features,)
    1 for the best feature, without ties: equal scores rank in column order, constant features last.
scores_ : ndarray of shape (n_features,) or (n_groups,)
    Weight q of each feature or group in the convex relaxation, between 0 and 1: how much of it the best
    *mixture* of sets holds, as far as the relaxation was solved; with "cutting-plane" a mixture of the
    cuts. By itself it proves nothing: a weight of 1 does not say that all good sets have the feature, nor
    0 that none has. `proven_` says what is proven.
n_missing_ : ndarray of shape (n_features,)
    Number of missing values of each feature, which `transform` leaves as they are; with `missing="mean"`
    only.
groups_ : list
    Labels of the groups, in the order of their first features; with `groups` only.
objective_ : float
    F of the selected subset: at most `n_classes - 1`, or the number of labels or targets.
upper_bound_ : float
    No subset of that size has a larger F.
gap_ : float
    `(upper_bound_ - objective_) / upper_bound_`.
optimal_ : bool
    Whether it is proven that no subset of that size is better, but for rounding: by exact search, or
    because the bound is that sharp.
n_nodes_ : int
    Number of nodes that exact search visited, the short one that "joint" adds where its bound is loose
    included; 0 where none was needed.
upper_bound_with_ : ndarray of shape (n_features,) or (n_groups,)
    No subset of that size with the feature or group has a larger F; -inf where there is no such subset, as
    with an excluded one.
upper_bound_without_ : ndarray of shape (n_features,) or (n_groups,)
    No subset of that size without it has a larger F; -inf where there is no such subset, as without one
    that must be selected.
proven_ : Proven
    What follows: masks of the features or groups that are `in_every` subset as good as the selected one,
    and `in_none`; the others are undecided. Printed, it is a sentence.
status_ : Status
    How the search ended; `status_.value` is a sentence with what to do, and anything but `CONVERGED` is
    warned of.
noise_ : Noise
    How many features look unrelated to the target, what the best of them would reach by chance, and how
    many of the selected exceed that; printed, it is a sentence.
row_numbers_ : ndarray of int
    Columns that only number the rows, such as an `Id`, or an index that was written along; none where X has
    no rows, as a summary. They are warned of (:class:`LeakageWarning`) unless `exclude` or `keep` names them,
    and never left out by themselves.
leaking_ : ndarray of int
    Columns that determine the target, or are a linear function of it: copies, or made from it. They are
    warned of likewise.
row_numbers_.single : ndarray of int
    Columns that only number the rows, such as an `Id`, or an index that was written along; none where X has
    no rows, as a summary. They are warned of (:class:`LeakageWarning`), and never left out by themselves.
gamma_ : float
    The regulariser used.
trace_ : tuple of Iteration
    Phase, objective, upper bound and number of active features of each iteration. In the phases
    "relaxation" and "cuts" the objective is F(q); the bound of "cuts" is for subsets of the size m they
    name. In the phase "exact" the active are the open nodes.
n_iter_ : int
    Number of iterations.
n_passes_ : int
    Number of times the data was read.
classes_ : ndarray of shape (n_classes,)
    The class labels; with sets of labels the names of the columns of y, or their numbers.
classes_.labels : ndarray of shape (n_classes,)
    The class labels.
n_features_in_ : int
    Number of features seen in `fit`.
feature_names_in_ : ndarray of shape (`n_features_in_`,)
    Their names, where X had names that are all strings.
status : Status
    How the computation ended; `status.value` is a sentence with what to do.
gamma.used : float
    The regulariser used.
task.used : {"classification", "regression"}
    Whether y held classes, or numbers.
what : {"features", "groups"}
    What sizes count.
limited : bool
    Whether some features were required or excluded: bounds are over the sets that this leaves.
adjusted : bool
    Whether features and target were adjusted for confounders or other features.
"""
_LINE = re.compile(r"^( *)%\(([\w., ]+)\)$", re.MULTILINE)
_SHARED: dict[str, str] = {}
for _entry in re.split(r"^(?=\w)", _ENTRIES, flags=re.MULTILINE)[1:]:
    _key, _, _rest = _entry.partition(" : ")
    _SHARED[_key] = f"{_key.partition('.')[0]} : {_rest}"


def documented(thing: T) -> T:
    """Fill shared entries into the docstring of a class or function, unless `python -OO` dropped it."""
    documented_thing: Any = thing
    if documented_thing.__doc__ is not None:
        documented_thing.__doc__ = _LINE.sub(_filled, documented_thing.__doc__)
    return thing


def _filled(line: re.Match[str]) -> str:
    space, keys = line.groups()
    return indent("".join(_SHARED[key] for key in keys.split(", ")), space).rstrip("\n")
