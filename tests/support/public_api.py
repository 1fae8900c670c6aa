"""Every public callable that takes a table and labels, for tests that cross them all.

A new one is listed here, which `tests/public/test_bad_input.py` insists on, and meets every kind of
bad input, odd storage and random table there is.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import clone

import fisherset
from fisherset import (
    GeneralizedFisherScore,
    GeneralizedFisherScoreCV,
    JointRegressionScore,
    JointRegressionScoreCV,
    certify,
    criterion_terms,
    explain,
    fisher_criterion,
    near_best,
    permutation_test,
    selection_path,
    stability,
    summarize,
)
from fisherset.evaluation import compare
from support.all_selectors import SELECTORS

FEATURES = [0, 2]  # the subset given to functions that need one


@dataclass(frozen=True)
class PublicCall:
    """A public callable as `call(X, y, sample_weight=None, **parameters)`."""

    name: str
    function: Callable
    numbers: Callable  # the result as numbers that can be compared
    parameters: frozenset
    labelled: bool = True  # whether it looks at y
    weighted: bool = True
    regression: bool = False  # whether y holds numbers instead of labels
    defaults: dict = field(default_factory=dict)

    def __call__(self, X, y, sample_weight=None, **parameters):
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.function(X, y, **weights, **{**self.defaults, **parameters})

    def answer(self, X, y, sample_weight=None, **parameters):
        return self.numbers(self(X, y, sample_weight, **parameters))


def _of_selector(selector, defaults):
    fit_arguments = {"sample_weight", "confounders"} & set(inspect.signature(selector.fit).parameters)

    def fit(X, y, **parameters):
        of_fit = {name: value for name, value in parameters.items() if name in fit_arguments}
        of_selector = {name: value for name, value in parameters.items() if name not in fit_arguments}
        return clone(selector).set_params(**of_selector).fit(X, y, **of_fit)

    return PublicCall(
        name=repr(selector),
        function=fit,
        numbers=_of_fitted,
        parameters=frozenset(selector.get_params()) | fit_arguments - {"sample_weight"},
        labelled=selector.__sklearn_tags__().target_tags.required,
        weighted="sample_weight" in fit_arguments,
        regression=isinstance(selector, JointRegressionScore | JointRegressionScoreCV),
        defaults=defaults,
    )


def _of_fitted(selector):
    scores = np.where(np.isfinite(selector.scores_), selector.scores_, 0.0)
    return np.concatenate([selector.ranking_ <= selector.support_.sum(), scores])


def _of_function(function, numbers, defaults):
    """A call for classes, and another for numbers where there is a choice."""
    parameters = [name for name in inspect.signature(function).parameters if name not in ("X", "y")]
    tasks = ("classification", "regression") if "task" in parameters else ("classification",)
    return [
        PublicCall(
            name=function.__name__ + (f"({task=})" if task == "regression" else ""),
            function=function,
            numbers=numbers,
            parameters=frozenset(parameters)
            - {"sample_weight", "class_weight" if task == "regression" else ""},
            weighted="sample_weight" in parameters,
            regression=task == "regression",
            defaults={**defaults, **({"task": task} if task == "regression" else {})},
        )
        for task in tasks
    ]


def _from_summary(X, y, *, task="classification", n_features_to_select=2, gamma="scale", **parameters):
    """A selection from nothing but the sums of the rows."""
    whole = summarize(X, y, task=task, **parameters)
    selector = GeneralizedFisherScore if task == "classification" else JointRegressionScore
    return selector(n_features_to_select, gamma=gamma).fit(whole)


def _permuted(X, y, *, n_features_to_select=2, gamma="scale", **parameters):
    selector = GeneralizedFisherScore(n_features_to_select, gamma=gamma)
    return permutation_test(selector, X, y, n_permutations=3, random_state=0, **parameters)


def _halved(X, y, *, n_features_to_select=2, gamma="scale", **parameters):
    selector = GeneralizedFisherScore(n_features_to_select, gamma=gamma)
    return stability(selector, X, y, n_pairs=2, random_state=0, **parameters)


def _of_summary(task):
    return PublicCall(
        name="summarize" + (f"({task=})" if task == "regression" else ""),
        function=_from_summary,
        numbers=_of_fitted,
        parameters=frozenset({"n_features_to_select", "gamma", "confounders", "max_memory"}),
        regression=task == "regression",
        defaults={"task": task} if task == "regression" else {},
    )


SEARCHED = {"n_features_to_select": [1, 2], "gammas": [1.0, "scale"], "cv": 2}
PUBLIC_CALLS = [
    *(_of_selector(selector, {"n_features_to_select": 2}) for selector in SELECTORS),
    _of_selector(JointRegressionScore(), {"n_features_to_select": 2}),
    _of_selector(GeneralizedFisherScoreCV(), SEARCHED),
    _of_selector(JointRegressionScoreCV(), SEARCHED),
    *_of_function(fisher_criterion, np.atleast_1d, {"features": FEATURES}),
    *_of_function(certify, lambda found: np.array(found[:4]), {"features": FEATURES}),
    *_of_function(
        explain, lambda found: np.hstack([*map(np.ravel, (*found[:10], *found[11:]))]), {"features": FEATURES}
    ),
    *_of_function(
        criterion_terms, lambda found: np.hstack([*map(np.ravel, found[3:7])]), {"features": FEATURES}
    ),
    *_of_function(near_best, lambda found: np.hstack([found.objectives, found.frequencies]), {"k": 2}),
    *_of_function(
        selection_path,
        lambda path: np.hstack(
            [np.hstack([step.features, step.objective, step.upper_bound]) for step in path]
        ),
        {"ks": [1, 2]},
    ),
    _of_summary("classification"),
    _of_summary("regression"),
    PublicCall(
        "stability",
        _halved,
        lambda found: found.frequencies,
        frozenset({"n_features_to_select", "gamma", "confounders"}),
    ),
    PublicCall(
        "permutation_test",
        _permuted,
        lambda found: np.append(found.statistic, found.null),
        frozenset({"n_features_to_select", "gamma", "confounders"}),
    ),
    PublicCall(  # whose other parameters have tests of their own
        "compare",
        compare,
        lambda found: np.ravel(found.accuracy["fisher"]),
        frozenset({"ks"}),
        weighted=False,
        defaults={"ks": [1, 2], "methods": ["fisher"], "repeats": 1},
    ),
]


def public():
    """Names that `fisherset` exports of callables that take a table and labels."""
    offered = {name: getattr(fisherset, name) for name in fisherset.__all__}
    takers = {name: getattr(thing, "fit", thing) for name, thing in offered.items() if callable(thing)}
    return {name for name, taker in takers.items() if {"X", "y"} <= set(inspect.signature(taker).parameters)}


def public_calls(*, labelled=False, regression=False, weighted=False, parameter=None):
    """All of them, or those that look at labels, or at numbers, take weights or have a parameter."""
    return [
        call
        for call in PUBLIC_CALLS
        if ((call.labelled and not call.regression) or not labelled)
        and (call.regression or not regression)
        and (call.weighted or not weighted)
        and (parameter is None or parameter in call.parameters)
    ]
