"""Odd little tables with everything that belongs to them, and whether an answer to them is right.

A case is drawn by hypothesis, so that one that fails shrinks to the least that does. The truth is exact:
fractions for scores of single columns, and `truth` in 32 digits for the criterion. An answer is right,
or the case is refused in one sentence for a reason it has.
"""

import os
import re
import warnings
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import fisherset
from support.precise_oracle import Truth

CASES = int(os.environ.get("FISHERSET_FUZZ", "40"))  # for each public callable
ROOT = str(Path(fisherset.__file__).parent)
EXACT = 2**53
FEW_SETS = 1000  # are all tried
CLOSE, NOUGHT = 1e-6, 1e-12  # relative, and absolute where a number is of order one

# What the whole numbers of a column, -8 to 8, become.
COLUMNS = {
    "ordinary": lambda v, codes: v / 8 + 0.25,
    "thirds": lambda v, codes: v / 3,
    "constant": lambda v, codes: np.full(len(v), v[0] / 3),
    "binary": lambda v, codes: (v > 0).astype(float),
    "huge": lambda v, codes: v * 1e299,
    "tiny": lambda v, codes: v * 1e-299,
    "subnormal": lambda v, codes: v * 1e-310,
    "least": lambda v, codes: v * 5e-324,
    "offset": lambda v, codes: v / 8 + 1e6,
    "by class": lambda v, codes: codes / 3 + v[0],
    "large": lambda v, codes: v + float(EXACT - 16),
    "nan": lambda v, codes: np.where(v == v.max(), np.nan, v),
    "infinite": lambda v, codes: np.where(v == v.max(), -np.inf, v),
}
USUAL = [name for name in COLUMNS if name not in ("nan", "infinite")]
STORAGES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "pandas": lambda X: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
    "polars": lambda X: pl.DataFrame(X, schema=[f"c{j}" for j in range(X.shape[1])]),
    "objects": lambda X: X.astype(object),
    "list": lambda X: X.tolist(),
}
# Labels for class numbers; None among them is what must be refused.
LABELS = {
    "numbers": lambda codes: codes,
    "floats": lambda codes: codes.astype(float),
    "texts": lambda codes: np.array(["a", "b", "c", "d", "e", "f"])[codes],
    "list": lambda codes: [f"class {code}" for code in codes],
    "noughts": lambda codes: ["x" + "\0" * int(code) for code in codes],
    "large": lambda codes: 2**60 + codes,
    "objects": lambda codes: np.array([(2**60 + int(code)) for code in codes], dtype=object),
    "category": lambda codes: pd.Series(pd.Categorical.from_codes(codes, list("fedcba"))),
    "pairs": lambda codes: pd.Series([("a", int(code)) for code in codes]),
    "polars": lambda codes: pl.Series([f"class {code}" for code in codes]),
}
BAD_LABELS = {
    "none": lambda codes: [None, *(f"class {code}" for code in codes[1:])],
    "nan": lambda codes: [float("nan"), *(f"class {code}" for code in codes[1:])],
    "halves": lambda codes: codes + 0.5,
    "short": lambda codes: codes[1:],
}
# Targets for whole numbers, -8 to 8.
TARGETS = {
    "ordinary": lambda v: v / 8 + 0.25,
    "whole": lambda v: v.astype(np.int64),
    "thirds": lambda v: (v / 3).tolist(),
    "huge": lambda v: v * 1e299,
    "tiny": lambda v: v * 1e-299,
    "offset": lambda v: v / 8 + 1e6,
    "truths": lambda v: v > 0,
    "two": lambda v: np.column_stack([v, v**2 + v]) / 4,
    "a column": lambda v: v[:, None],
    "pandas": lambda v: pd.DataFrame({"u": v, "v": 1e6 - v**2}),
    "polars": lambda v: pl.Series(v),
}
BAD_TARGETS = {
    "nan": lambda v: np.where(v == v[0], np.nan, v),
    "infinite": lambda v: np.where(v == v[0], np.inf, v),
    "texts": lambda v: [str(value) for value in v],
    "short": lambda v: v[1:],
}


@dataclass(frozen=True)
class Case:
    """A table, its labels and weights, as they are handed over and as they are meant."""

    X: Any
    y: Any
    weights: Any
    k: Any
    gamma: Any
    table: np.ndarray  # of Fractions, None where a number is not finite
    codes: np.ndarray
    faults: frozenset  # what is wrong: of the "table", "labels", "weights" or "k"
    story: str
    regression: bool = False

    def __repr__(self):
        X = self.X.toarray() if sparse.issparse(self.X) else self.X
        return f"Case({self.story}, k={self.k!r}, gamma={self.gamma!r}, y={self.y!r}, X=\n{X!r})"

    def _repr_pretty_(self, printer, cycle):  # hypothesis would print the fractions
        printer.text(repr(self))

    @property
    def floats(self):
        return np.array([[float(value) for value in row] for row in self.table])

    @property
    def mass(self):
        """The weights as fractions."""
        weights = np.ones(len(self.codes)) if self.weights is None else np.asarray(self.weights)
        return [Fraction(float(weight)) for weight in weights]

    @property
    def count(self):
        d = self.table.shape[1]
        if self.k is None:
            return max(1, d // 2)
        return int(self.k) if self.k >= 1 else max(1, int(self.k * d + 1e-9))


@st.composite
def cases(draw, *, weighted=True, regression=False):
    """Any case; most have no fault, so that there is something to answer."""
    n, d = draw(st.integers(2, 12), label="n"), draw(st.integers(1, 6), label="d")
    codes = np.array(draw(st.lists(st.integers(0, draw(st.integers(0, 5))), min_size=n, max_size=n)))
    kinds = USUAL if draw(st.integers(0, 7)) else list(COLUMNS)
    columns, story = [], []
    for _ in range(d):
        kind = draw(st.sampled_from([*kinds, "copy"] if columns else kinds))
        story.append(kind)
        if kind == "copy":
            columns.append(
                columns[draw(st.integers(0, len(columns) - 1))] * draw(st.sampled_from([1.0, -2.0]))
            )
        else:
            values = np.array(draw(st.lists(st.integers(-8, 8), min_size=n, max_size=n)), dtype=float)
            columns.append(COLUMNS[kind](values, codes))
    table, faults = np.column_stack(columns), set()
    X, exact, storage = _stored(draw, table, n, d)
    if any(value is None for value in exact.ravel()) or "rounded" in storage:
        faults.add("table")
    weights, k = (_weights(draw, n) if weighted else None), _count(draw, d)
    if regression:
        labels, y, fault = _targets(draw, n, weights)
        fair = np.arange(n)
    else:
        labels = draw(st.sampled_from([*LABELS, *LABELS, *BAD_LABELS]))
        y, fair = {**LABELS, **BAD_LABELS}[labels](codes), codes
        fault = labels in BAD_LABELS or len(set(codes)) < 2 or len(set(codes)) == n
    if fault:
        faults.add("labels")
    if weights is not None and not _fair(weights, fair):
        faults.add("weights")
    if k is not None and not (1 <= k <= d if isinstance(k, int) else 0 < k < 1):
        faults.add("k")
    gamma = draw(st.sampled_from(["scale", 1.0, 0.01, 100.0, 1e-6, 1e6, np.float32(2.0), 10]))
    story = f"{story}, {storage}, {labels}, {weights}"
    return Case(X, y, weights, k, gamma, exact, codes, frozenset(faults), story, regression)


def _targets(draw, n, weights):
    """Numbers to explain, how they were made, and whether something is wrong with them."""
    kind = draw(st.sampled_from([*TARGETS, *TARGETS, *BAD_TARGETS]))
    values = np.array(draw(st.lists(st.integers(-8, 8), min_size=n, max_size=n)), dtype=float)
    y = {**TARGETS, **BAD_TARGETS}[kind](values)
    if kind in BAD_TARGETS:
        return kind, y, True
    Y = np.asarray(y).reshape(n, -1)
    counting = Y if weights is None or not (weights > 0).any() else Y[weights > 0]
    return kind, y, bool((counting == counting[0]).all(axis=0).any())


def _stored(draw, table, n, d):
    """The table in some storage, what it then is exactly, and the name of the storage."""
    whole = bool(
        np.all(np.isfinite(table)) and np.all(table == np.floor(table)) and np.abs(table).max() < 2**60
    )
    storage = draw(
        st.sampled_from([*STORAGES, "float32", *(["int64", "large int64", "bool"] if whole else [])])
    )
    if storage == "int64":
        X = table.astype(np.int64)
    elif storage == "large int64":
        X = table.astype(np.int64) + EXACT
    elif storage == "bool":
        X = table > 0
    elif storage == "float32":
        with np.errstate(over="ignore"):
            X = table.astype(np.float32)
    else:
        X = STORAGES[storage](table)
        return X, _exactly(table), storage
    exact = _exactly(X)
    rounded = any(value is not None and Fraction(float(value)) != value for value in exact.ravel())
    return X, exact, storage + (" rounded" if rounded else "")


def _exactly(table):
    exact = np.empty(table.shape, dtype=object)
    for place, value in np.ndenumerate(table):
        exact[place] = (
            Fraction(value.item() if value.dtype.kind in "iub" else float(value))
            if np.isfinite(value)
            else None
        )
    return exact


def _weights(draw, n):
    kind = draw(st.sampled_from(["none", "none", "none", "ones", "counts", "decades", "bad"]))
    if kind == "none":
        return None
    if kind == "ones":
        return np.ones(n)
    counts = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    if kind == "decades":
        return np.where(counts > 0, 10.0 ** (-4 * (counts - 1)), 1.0) * draw(
            st.sampled_from([1.0, 1e9, 1e-90])
        )
    return (
        counts
        if kind == "counts"
        else np.where(counts == counts[0], draw(st.sampled_from([np.nan, -1.0])), 1)
    )


def _fair(weights, codes):
    if not np.isfinite(weights).all() or (weights < 0).any():
        return False
    return len(set(codes[weights > 0])) > 1 and 1e-100 < weights.sum() < 1e100


def _count(draw, d):
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(st.sampled_from([0, d + 1, 1.5, -1]))
    return draw(st.sampled_from([None, 0.5, *range(1, d + 1)]))


def ask(call, case):
    """The answer or the refusal of a call, and what it warned of; the parameters it needs from the case."""
    parameters: dict[str, Any] = {}
    d = case.table.shape[1]
    if "n_features_to_select" in call.parameters:
        parameters["n_features_to_select"] = case.k
    if "k" in call.parameters:
        parameters["k"] = case.k
    if "ks" in call.parameters:
        parameters["ks"] = [case.k]
    if "features" in call.parameters:
        parameters["features"] = list(range(case.count)) if "k" not in case.faults else [0, d]
    if "gamma" in call.parameters:
        parameters["gamma"] = case.gamma
    if "gammas" in call.parameters:
        parameters["gammas"] = [case.gamma]
    weights = case.weights if call.weighted else None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            return call(case.X, case.y, weights, **parameters), None, caught
        except Exception as error:  # whatever it is, it is looked at
            return None, error, caught


def complaint(call, case):
    """The fault in the answer of a call to a case; empty where there is none."""
    found, error, caught = ask(call, case)
    numeric = [str(w.message) for w in caught if issubclass(w.category, RuntimeWarning)]
    if numeric:
        return f"warned of {numeric[0]}"
    faults = case.faults - {*(() if call.labelled else ("labels",)), *(() if call.weighted else ("weights",))}
    if error is not None:
        return _bad_refusal(call, case, error, faults)
    if faults:
        return f"answered, though there is a fault in {', '.join(sorted(faults))}"
    admitted = any(issubclass(w.category, ConvergenceWarning) and "float64" in str(w.message) for w in caught)
    return CHECKS[call.name.split("(")[0]](call, case, found, admitted)


def _bad_refusal(call, case, error, faults):
    message, last = str(error), error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    source = last.tb_frame.f_code.co_filename
    sentence = isinstance(error, ValueError | TypeError) and source.startswith(ROOT)
    if not (sentence and message.endswith(".") and "\n" not in message and len(message) <= 300):
        return f"no sentence, but {type(error).__name__} in {source}: {message}"
    if faults or ("ScoreCV" in call.name and re.match("cv must|scoring must give a finite", message)):
        return ""
    if call.name.startswith("HSICScore") and re.match("sample_weight must sum to more than 1", message):
        return "" if sum(case.mass) <= 1 + Fraction(1, 10**5) else f"refused: {message}"
    if call.name.startswith("TraceRatio") and message.startswith("A ratio of sums needs"):
        sizes = [max(abs(value) for value in x) for x in case.table.T if len(set(x)) > 1]
        return "" if max(sizes) > 10**120 * min(sizes) else f"refused: {message}"
    if call.name == "stability" and message.startswith("y must have"):
        counts = np.bincount([code for code, w in zip(case.codes, case.mass, strict=True) if w])
        return "" if counts[counts > 0].min() < 2 or counts.max() < 4 else f"refused: {message}"
    return f"refused without need: {message}"


def _scatters(case):
    """Between and within of each column, exactly, and its spread as a share of its level."""
    w, n = case.mass, sum(case.mass)
    between, within, share = [], [], []
    for x in case.table.T:
        mean = sum(a * b for a, b in zip(w, x, strict=True)) / n
        b = s = Fraction(0)
        for k in set(case.codes):
            rows = [i for i in np.flatnonzero(case.codes == k) if w[i]]
            n_k = sum(w[i] for i in rows)
            if n_k:
                mean_k = sum(w[i] * x[i] for i in rows) / n_k
                b += n_k * (mean_k - mean) ** 2
                s += sum(w[i] * (x[i] - mean_k) ** 2 for i in rows)
        level = max(abs(x[i]) for i in range(len(x)) if w[i])
        between.append(b)
        within.append(s)
        share.append(np.sqrt(float((b + s) / n / level**2)) if level else 0.0)
    return between, within, np.array(share)


# Spread over level of a column from which it varies for sure.
VARIES = 1e-12


def _differ(value, exact, scale=Fraction(0)):
    """Whether a number is off, of a sum whose terms are of a certain scale."""
    if not np.isfinite(value):
        return not (value > 0 and exact > Fraction(10) ** 307)
    error = abs(Fraction(float(value)) - exact)
    return error > Fraction(CLOSE) * abs(exact) + Fraction(NOUGHT) * scale + Fraction(10) ** -300


def _check_support(selector, case):
    count = int(selector.support_.sum())
    if count != case.count:
        return f"selected {count} features"
    return "" if sorted(selector.ranking_) == list(range(1, case.table.shape[1] + 1)) else "ranking has ties"


def check_fisher(call, case, selector, admitted):
    """Eq. (4)."""
    between, within, share = _scatters(case)
    for j, score in enumerate(selector.scores_):
        total = between[j] + within[j]
        if not total:
            if score != 0:
                return f"score of constant column {j} is {score}"
        elif share[j] > VARIES and within[j] > Fraction(10) ** -10 * total:
            if _differ(score, between[j] / within[j], Fraction(1)):
                return f"score of column {j} is {score}, not {float(between[j] / within[j])}"
        elif share[j] > VARIES and not within[j] and not np.isinf(score) and score < 1e9:
            return f"score of column {j}, constant in the classes, is {score}"
    return _check_support(selector, case)


def check_hsic(call, case, selector, admitted):
    """The linear kernels, from exact sums."""
    if "rbf" not in call.name:
        w, n = case.mass, sum(case.mass)
        present = sorted(set(case.codes))
        numbers = {k: Fraction(place) for place, k in enumerate(present)}
        for j, x in enumerate(case.table.T):
            mean = sum(a * b for a, b in zip(w, x, strict=True)) / n
            sums = {k: sum(w[i] * (x[i] - mean) for i in np.flatnonzero(case.codes == k)) for k in present}
            if "linear" in call.name:
                exact = sum(numbers[k] * sums[k] for k in present) ** 2
            else:
                exact = sum(value**2 for value in sums.values())
            scale = sum(w[i] * (x[i] - mean) ** 2 for i in range(len(x))) * n * len(present) ** 2
            level = max(abs(value) for value in x) ** 2 * n**2
            factor = 1 / (n - 1) ** 2
            slack = (scale + level * Fraction(10) ** -10) * factor
            if _differ(selector.scores_[j], exact * factor, slack):
                return (
                    f"score of column {j} is {selector.scores_[j]}, not {float(min(exact * factor, 10**308))}"
                )
    return _check_support(selector, case)


def check_laplacian(call, case, selector, admitted):
    """Between -2 and 0; the graph has too many ties in such tables for more."""
    scores = selector.scores_
    if np.isnan(scores).any() or (scores > 1e-9).any() or (scores[np.isfinite(scores)] < -2 - 1e-9).any():
        return f"scores are {scores}"
    return _check_support(selector, case)


def _ratio(between, within, A):
    below = sum(within[j] for j in A)
    return sum(between[j] for j in A) / below if below else Fraction(10) ** 400


def check_trace_ratio(call, case, selector, admitted):
    """The best ratio of all subsets of the columns that vary."""
    wrong = _check_support(selector, case)
    if wrong or "laplacian" in call.name:
        return wrong
    between, within, share = _scatters(case)
    total = [b + w for b, w in zip(between, within, strict=True)]
    varying = [j for j in range(len(total)) if total[j]]
    if len(varying) < case.count or (share[varying] < VARIES).any():
        return ""
    if any(0 < within[j] < Fraction(10) ** -10 * total[j] for j in varying):
        return ""  # whether such a column is constant in the classes is a matter of rounding
    exact = max(_ratio(between, within, A) for A in combinations(varying, case.count))
    if _differ(selector.trace_ratio_, exact, Fraction(1)):
        return f"ratio is {selector.trace_ratio_}, not {float(min(exact, 10**308))}"
    return ""


def truth_of(case):
    """The criterion in 32 digits; columns in units near their size, which it does not depend on."""
    X = case.floats
    with np.errstate(divide="ignore"):
        exponent = np.frexp(np.abs(X).max(axis=0))[1]
    weights = None if case.weights is None else np.asarray(case.weights, dtype=float)
    if not case.regression:
        return Truth(np.ldexp(X, -exponent), case.codes, weights)
    Y = np.asarray(case.y, dtype=float).reshape(len(X), -1)
    Y = np.ldexp(Y, -np.frexp(np.abs(Y).max(axis=0))[1])
    return Truth(np.ldexp(X, -exponent), Y, weights, numbers=True)


def check_criterion(case, members, objective, gamma, admitted, bound=None, sets=None):
    """F of a set of columns, and what bounds that of all sets of the size, or of those given."""
    if not np.isfinite(objective):
        return f"F is {objective}"
    truth = truth_of(case)
    if truth.doubtful:
        return ""
    true = float(truth.criterion([members], gamma)[0])
    if np.isfinite(true) and abs(objective - true) > CLOSE * (true + CLOSE) and not admitted:
        return f"F of {list(members)} is {objective}, not {true}"
    if bound is None:
        return ""
    if objective > bound * (1 + 1e-12) + 1e-15:
        return f"F is {objective}, above its bound {bound}"
    if (comb(truth.d, len(members)) if sets is None else len(sets)) > FEW_SETS:
        return ""
    if sets is None:
        best = truth.best(len(members), gamma)
    else:
        best = float(np.max([truth.criterion([columns], gamma)[0] for columns in sets]))
    if np.isfinite(best) and best > bound * (1 + 1e-9) + 1e-14:
        return f"a subset has F = {best}, above the bound {bound}"
    return ""


def check_generalized(call, case, selector, admitted):
    members = np.flatnonzero(selector.support_)
    if selector.scores_.min() < 0 or selector.scores_.max() > 1 + 1e-9:
        return f"weights are {selector.scores_}"
    return _check_support(selector, case) or check_criterion(
        case, members, selector.objective_, selector.gamma_, admitted, selector.upper_bound_
    )


def check_certificate(call, case, found, admitted):
    members = range(case.count)
    return check_criterion(case, members, found.objective, found.gamma, admitted, found.upper_bound)


def check_value(call, case, value, admitted):
    if isinstance(case.gamma, str):
        return "" if np.isfinite(value) and value >= 0 else f"F is {value}"
    return check_criterion(case, range(case.count), value, float(case.gamma), admitted)


def check_explanation(call, case, found, admitted):
    if np.isnan(found.drops).any() or (found.drops < 0).any() or np.isnan(found.fisher_scores).any():
        return f"explained by {found}"
    if (np.abs(found.correlations) > 1).any():
        return f"correlations are {found.correlations}"
    wrong = check_criterion(case, range(case.count), found.objective, found.gamma, admitted)
    return wrong or ("" if admitted else _judge_exchanges(case, found))


def _judge_exchanges(case, found):
    """Each is as good as said, and none of the others is better."""
    truth = truth_of(case)
    if truth.doubtful:
        return ""
    outside = [j for j in range(case.count, truth.d) if not truth.constant[j]]
    for place, (other, value) in enumerate(zip(found.exchanges, found.exchanged, strict=True)):
        if not outside or truth.constant[place]:
            if other != -1 or not np.isnan(value):
                return f"{place} is exchanged for {other}, F then {value}, and there is nothing to exchange"
            continue
        rest = [j for j in range(case.count) if j != place]
        true = truth.criterion([[*rest, j] for j in outside], found.gamma)
        if np.isnan(true).any():
            continue
        best, own = float(np.max(true)), float(true[outside.index(other)])
        if max(abs(value - best), abs(value - own)) > CLOSE * (best + CLOSE):
            return f"F with {other} for {place} is {own}, said to be {value}, the best {best}"
    return ""


def check_terms(call, case, found, admitted):
    """F of the subset and of all that have terms, and the bounds; or a sentence why there are no terms."""
    if found.lacking:
        return "" if found.lacking.endswith(".") and not found.units.size else f"terms are {found}"
    if list(found.units[: case.count]) != list(range(case.count)):
        return f"terms are of {found.units}"
    for places in (range(case.count), range(len(found.units))):
        members, objective = found.units[list(places)], found.objective(places)
        bound = float(found.bounds[len(places)])
        wrong = check_criterion(case, members, objective, found.gamma, admitted, bound)
        if wrong:
            return wrong
    return ""


def check_path(call, case, path, admitted):
    (step,) = path
    if step.k != case.count or len(set(step.features)) != case.count:
        return f"path has {step}"
    return check_criterion(case, step.features, step.objective, path.gamma, admitted, step.upper_bound)


def check_near_best(call, case, found, admitted):
    """All sets of columns that vary, where the list claims to be complete."""
    if any(len(set(one)) != case.count for one in found.sets):
        return f"sets are {found.sets}"
    wrong = check_criterion(case, found.sets[0], found.objective, found.gamma, admitted, found.upper_bound)
    truth = truth_of(case)
    if wrong or admitted or truth.doubtful or not found.complete:
        return wrong
    varying = np.flatnonzero(~truth.constant)
    if varying.size < case.count:
        return "" if set(varying) <= set(found.sets[0]) else f"{found.sets} lack columns that vary"
    sets = list(combinations(varying.tolist(), case.count))
    if len(sets) > FEW_SETS:
        return ""
    values = truth.criterion(sets, found.gamma)
    floor, edge = (1 - found.within) * np.max(values), CLOSE * (np.max(values) + CLOSE)
    listed = {tuple(one) for one in found.sets}
    for one, value in zip(sets, values, strict=True):
        if (value > floor + edge and one not in listed) or (value < floor - edge and one in listed):
            return (
                f"F of {one} is {value}, the floor {floor}, and it is {'' if one in listed else 'not '}listed"
            )
    return ""


def check_stability(call, case, found, admitted):
    """As many features on each half as are asked for, and frequencies that count them."""
    if not np.all(found.supports.sum(axis=1) == case.count):
        return f"{found.supports.sum(axis=1)} features are selected"
    if not np.array_equal(found.frequencies, found.supports.mean(axis=0)):
        return f"frequencies are {found.frequencies}"
    return ""


def check_permutations(call, case, found, admitted):
    """F within its range, and a p-value that counts the permutations that reach it."""
    values = np.append(found.statistic, found.null)
    if not (np.isfinite(values).all() and (values >= 0).all() and (values <= max(case.codes) + 1).all()):
        return f"F is {found.statistic}, by chance {found.null}"
    reached = np.count_nonzero(found.null >= found.statistic * (1 - 1e-8))
    least = np.count_nonzero(found.null > found.statistic * (1 + 1e-8))
    return "" if 1 + least <= 4 * found.pvalue <= 1 + reached else f"p is {found.pvalue}"


CHECKS = {
    "FisherScore": check_fisher,
    "HSICScore": check_hsic,
    "LaplacianScore": check_laplacian,
    "TraceRatio": check_trace_ratio,
    "GeneralizedFisherScore": check_generalized,
    "GeneralizedFisherScoreCV": check_generalized,
    "JointRegressionScore": check_generalized,
    "JointRegressionScoreCV": check_generalized,
    "certify": check_certificate,
    "fisher_criterion": check_value,
    "criterion_terms": check_terms,
    "explain": check_explanation,
    "near_best": check_near_best,
    "permutation_test": check_permutations,
    "selection_path": check_path,
    "stability": check_stability,
    "summarize": check_generalized,
}
