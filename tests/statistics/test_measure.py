"""A table is measured once: the measured table replaces X and y wherever a table is taken."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine

from fisherset import (
    FisherScore,
    GeneralizedFisherScore,
    JointRegressionScore,
    TraceRatio,
    certify,
    explain,
    fisher_criterion,
    near_best,
    scan,
    selection_path,
    summarize,
)
from fisherset.data import BatchedRows, Block
from fisherset.statistics.measure import measure

X, Y = load_wine(return_X_y=True, as_frame=True)
WEIGHTS = np.linspace(0.5, 2, len(Y))


def answers(X, y, **arguments):
    """Answers of every public function that takes a table."""
    data = {"sample_weight": arguments.pop("sample_weight", None)}
    selector = GeneralizedFisherScore(4, **arguments).fit(X, y, **data)
    features = selector.get_feature_names_out()
    return [
        selector.objective_,
        selector.upper_bound_,
        list(features),
        certify(X, y, features, **arguments, **data).upper_bound,
        explain(X, y, features, **arguments, **data).drops.tolist(),
        [step.objective for step in selection_path(X, y, [2, 4], **arguments, **data)],
        near_best(X, y, 3, within=0.02, **arguments, **data).objectives.tolist(),
        fisher_criterion(X, y, features, **data) if not arguments else None,
    ]


@pytest.mark.parametrize(
    "arguments", [{}, {"class_weight": "balanced"}, {"adjust_for": ["alcohol"]}, {"missing": "mean"}], ids=str
)
def test_a_measured_table_replaces_rows(arguments, monkeypatch):
    expected = answers(X, Y, **arguments, sample_weight=WEIGHTS)
    measured = measure(X, Y, sample_weight=WEIGHTS, **arguments)
    monkeypatch.setattr("fisherset.statistics.measure.sum_moments", None)  # nothing is measured again
    assert answers(measured, None, **arguments) == expected


def test_scores_one_by_one():
    measured = measure(X, Y)
    assert_array_equal(FisherScore(3).fit(measured).scores_, FisherScore(3).fit(X, Y).scores_)
    assert TraceRatio(3).fit(measured).trace_ratio_ == TraceRatio(3).fit(X, Y).trace_ratio_


def test_numbers():
    y = X["proline"] + X["hue"]
    measured = measure(X, y, task="regression")
    assert JointRegressionScore(2).fit(measured).objective_ == JointRegressionScore(2).fit(X, y).objective_
    with pytest.raises(ValueError, match="y must hold classes here; the measured table has other targets"):
        GeneralizedFisherScore(2).fit(measured)


def test_summaries_and_scans_are_measured_once(tmp_path):
    X.assign(label=Y).to_csv(tmp_path / "t.csv", index=False)
    expected = GeneralizedFisherScore(4).fit(X, Y)
    for table in (summarize(X, Y), scan(tmp_path / "t.csv", "label")):
        found = GeneralizedFisherScore(4).fit(measure(table))
        assert_array_equal(found.support_, expected.support_)
        assert found.feature_names_in_.tolist() == list(X.columns)


def test_other_arguments_are_refused():
    measured = measure(X, Y, class_weight="balanced", adjust_for=["alcohol"])
    for selector, name in (
        (GeneralizedFisherScore(2), "adjust_for must be that of the measured table, .0.; got .."),
        (
            GeneralizedFisherScore(2, class_weight="sqrt", adjust_for=[0]),
            "class_weight .*; got 'sqrt'",
        ),
        (GeneralizedFisherScore(2, missing="mean", adjust_for=[0]), "missing .* 'error'; got 'mean'"),
    ):
        with pytest.raises(ValueError, match=name):
            selector.fit(measured)
    with pytest.raises(ValueError, match="y must not be given with a table"):
        GeneralizedFisherScore(2, adjust_for=[0]).fit(measured, Y)
    with pytest.raises(TypeError, match="X must hold rows"):
        summarize(measured)


class Counted(BatchedRows):
    """Rows that count how often each block is read."""

    n_columns, names = X.shape[1], list(X.columns)

    def __init__(self):
        self.read = []

    def blocks(self, columns=True):
        for start in range(0, len(Y), 50):
            self.read.append(start)
            rows = slice(start, start + 50)
            yield Block(X.to_numpy()[rows, : None if columns else 0], Y.to_numpy()[rows])


def test_the_first_batch_is_read_once():
    table = Counted()
    selector = GeneralizedFisherScore(4).fit(table)
    assert selector.n_passes_ == 1
    assert table.read == [0, 50, 100, 150]
    GeneralizedFisherScore(4, class_weight="balanced").fit(table)
    assert table.read[4:] == [0, *range(0, 200, 50), *range(0, 200, 50)]
