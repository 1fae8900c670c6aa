"""The whole reproduction on real files: two repeats, two data sets."""

import json
import re

import numpy as np
import pytest

from conftest import data_folder
from fisherset.datasets import DatasetNotFoundError
from fisherset.paper import reproduce
from fisherset.paper.data import obtain, standardised
from fisherset.paper.experiment import run_repeat
from fisherset.paper.protocol import PARTS, STUDIES, Protocol
from fisherset.paper.results import Results, read_results


@pytest.fixture(scope="module")
def folder():
    found = data_folder()
    if found is None:
        pytest.skip("REAL DATA NOT FOUND: the reproduction is NOT tested; set FISHERSET_DATA")
    return found


@pytest.fixture(scope="module", autouse=True)
def two_columns():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PARTS, "table2", ("ionosphere", "protein"))
        yield


@pytest.fixture(scope="module")
def small(folder, tmp_path_factory):
    """A run of two repeats of Table 2 as if it had two columns."""
    data = tmp_path_factory.mktemp("data")
    for name in ("ionosphere", "protein"):
        (data / f"{name}.npz").symlink_to(folder / f"{name}.npz")
    out = tmp_path_factory.mktemp("out") / "new"
    calls = []
    made = reproduce(
        data_dir=data,
        only="table2",
        repeats=2,
        out=out,
        n_jobs=1,
        progress=lambda *call: calls.append(call),
    )
    return data, out, made, calls


def test_files_are_all_there(small):
    _, out, made, _ = small
    assert sorted(path.name for path in out.iterdir()) == ["index.html", "results.json", "tables.md"]
    assert all(path.exists() for path in made.files)
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "Table 2: accuracy" in page
    assert not re.findall(r"(?:src|href)=[\"'](?!data:)", page)  # nothing is loaded from elsewhere


def test_table_puts_ours_beside_the_papers(small):
    _, out, made, _ = small
    (table,) = [table for table in made.tables if table.key == "table2"]
    assert table.columns[1:3] == ("ionosphere, ours", "paper")
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert rows["Fisher score"][1] == "87.97 ± 1.96"
    assert rows["GFS (joint)"][1] == "-"
    ours = made.results.accuracy("ionosphere", "fisher")
    assert rows["Fisher score"][0] == f"{ours.mean():.2f} ± {ours.std(ddof=1):.2f}"
    assert 70 < ours.mean() < 100
    assert table.markdown() in (out / "tables.md").read_text(encoding="utf-8")


def test_progress_is_told(small):
    _, _, _, calls = small
    assert calls[:2] == [("ionosphere", 0, 2), ("protein", 0, 2)]
    assert set(calls[2:]) == {(key, done, 2) for key in ("ionosphere", "protein") for done in (1, 2)}


def test_results_hold_every_repeat(small):
    _, out, made, _ = small
    content = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert len(content["runs"]) == 2 * 2 * 7
    assert content["protocol"]["gammas"] == [50, 100, 200, 300, 400, 500]
    assert read_results(out / "results.json") == made.results
    for run in made.results.runs:
        assert 0 < run.share <= 1 + 1e-9
        assert (run.gamma is not None) == run.method.startswith("gfs")


def test_a_run_goes_on_where_it_stopped(small, tmp_path):
    data, _, made, _ = small
    cut = Results(made.results.protocol, made.results.runs[:21], made.results.sizes, made.results.files)
    kept = cut.done()
    cut.save(tmp_path / "results.json")
    calls = []
    again = reproduce(
        data_dir=data, only="table2", repeats=2, out=tmp_path, n_jobs=1, progress=lambda *c: calls.append(c)
    )
    assert len(kept) == 3
    assert len(calls) == 2 + 4 - len(kept)  # the start, then one call for each repeat that lacked
    for ours, first in zip(again.results.runs, made.results.runs, strict=True):
        assert (ours.accuracy, ours.features) == (first.accuracy, first.features)


def test_results_of_another_protocol_are_not_mixed(small):
    data, out, _, _ = small
    with pytest.raises(ValueError, match=r"holds results for standardize='all'.*Choose another --out"):
        reproduce(data_dir=data, only="table2", repeats=2, out=out, standardize="train")


def test_workers_change_nothing(small, tmp_path):
    data, _, made, _ = small
    both = reproduce(data_dir=data, only="table2", repeats=2, out=tmp_path, n_jobs=2)
    for ours, first in zip(both.results.runs, made.results.runs, strict=True):
        assert (ours.accuracy, ours.features) == (first.accuracy, first.features)


def test_all_that_lacks_is_named_before_any_work(small, tmp_path):
    data, *_ = small
    (tmp_path / "ionosphere.npz").symlink_to(data / "ionosphere.npz")
    with pytest.raises(DatasetNotFoundError, match=r"protein\.npz.*--only takes"):
        reproduce(data_dir=tmp_path, only="table2", repeats=2, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_leak_free_sees_only_the_training_half(folder):
    """Test rows changed beyond recognition leave selections and gammas as they were."""
    from fisherset.evaluation import halves

    study = STUDIES["protein"]
    data = obtain(study, folder)
    first = run_repeat(study, data, 0, Protocol("train"))
    seeds = np.random.SeedSequence([0, *b"protein", 0]).generate_state(2)
    _, test = halves(data.y, int(seeds[0]))
    X = data.X.copy()
    X[test] = 1e3 * X[test][::-1] + 5
    again = run_repeat(study, data._replace(X=X), 0, Protocol("train"))
    assert [run.features for run in first] == [run.features for run in again]
    assert [run.gamma for run in first] == [run.gamma for run in again]
    leaky = run_repeat(study, data._replace(X=X), 0, Protocol("all"))
    assert np.abs(standardised(X, slice(None)) - standardised(data.X, slice(None))).max() > 0.1
    assert [run.accuracy for run in leaky] != [run.accuracy for run in first]
