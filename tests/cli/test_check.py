"""The score of a selection on rows that it was not made on, which `select` reports by default."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine

from fisherset import GeneralizedFisherScore, JointRegressionScore
from fisherset.evaluation import held_out
from support.command_line import invoke

SELECT = ("select", "wine.csv", "-t", "target", "-k", 4)


@pytest.fixture
def folder(tmp_path):
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path


def run(folder, *arguments):
    """All that is printed, in one line: the terminal wraps sentences."""
    done = invoke(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return " ".join(done.stdout.split())


def record(folder, *arguments):
    return json.loads(run(folder, *arguments, "--json"))["held_out"]


def test_terminal_file_and_page_say_the_same(folder):
    found = held_out(GeneralizedFisherScore(4), *load_wine(return_X_y=True))
    said = run(folder, *SELECT, "--out", "s.json", "--report", "r.html")
    assert f"New rows: {found.sentence}" in said
    kept = json.loads((folder / "s.json").read_text(encoding="utf-8"))["held_out"]
    figures = [kept[name] for name in ("score", "error", "all_columns", "ranking", "majority")]
    expected = found.score, found.error, found.all_columns, found.ranking, found.majority
    np.testing.assert_allclose(figures, expected)
    page = (folder / "r.html").read_text(encoding="utf-8")
    score = f"{100 * found.score:.1f} %"
    assert f'<p class="label">Held-out accuracy</p><p class="value">{score} ± ' in page
    assert f"All columns: {100 * found.all_columns:.1f} %." in page
    own = f"{found.score:.3f} ± {found.error:.3f}"
    assert own in page.partition("4 (selected)")[2].partition("</tr>")[0]  # not another figure


def test_it_can_be_skipped(folder):
    assert "New rows" not in run(folder, *SELECT, "--no-check")
    assert record(folder, *SELECT, "--no-check") is None


def test_numbers_have_r2(tmp_path):
    load_diabetes(as_frame=True).frame.to_csv(tmp_path / "d.csv", index=False)
    asked = ("select", "d.csv", "-t", "target", "--task", "regression", "-k", 3)
    found = held_out(JointRegressionScore(3), *load_diabetes(return_X_y=True))
    kept = record(tmp_path, *asked)
    assert kept["metric"] == "R²"
    np.testing.assert_allclose(kept["scores"], found.scores, rtol=1e-6)  # decimals of the file


OPTIONS = {
    "exact": ("--solver", "exact"),
    "cutting plane": ("--solver", "cutting-plane"),
    "required and excluded": ("--keep", "proline", "--exclude", "hue"),
    "adjusted": ("--adjust-for", "alcohol"),
    "weighted": ("--class-weight", "balanced"),
    "gamma": ("--gamma", "auto"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_it_goes_with_all_options(case, folder):
    said = run(folder, *SELECT, *OPTIONS[case])
    assert "New rows: accuracy " in said
    assert ("In the folds --solver is joint." in said) == (case == "exact")


@pytest.mark.parametrize("given", [("-k", "auto"), ("-k", "2,4", "--gamma", "auto")])
def test_the_choice_of_the_size_is_repeated(given, folder):
    assert record(folder, *SELECT[:4], *given)["score"] > 0.85


def noise(folder):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(80, 300))).add_prefix("g").assign(kind=["a", "b"] * 40)
    table.to_csv(folder / "noise.csv", index=False)
    return "select", "noise.csv", "-t", "kind", "-k", 10


def test_noise_does_not_look_convincing(tmp_path):
    asked, warning = noise(tmp_path), "a linear model of the selection is no better than the majority class"
    said = run(tmp_path, *asked)
    assert warning in said.partition("best substitute")[0]  # before what follows is believed
    kept = json.loads(run(tmp_path, *asked, "--json"))
    assert not kept["held_out"]["useful"]
    assert kept["held_out"]["score"] < 0.65
    assert any(warning in remark for remark in kept["remarks"])
    done = invoke(*asked, "--format", "names", cwd=tmp_path)
    assert warning in " ".join(done.stderr.split())


def scanned(folder):
    (folder / "rows").mkdir()
    table = load_wine(as_frame=True).frame
    for place in range(2):
        table.iloc[place::2].to_csv(folder / "rows" / f"{place}.csv", index=False)
    return "select", "rows", "-t", "target", "-k", 3


def summarized(folder):
    assert invoke("summarize", "wine.csv", "-t", "target", "--out", "s.npz", cwd=folder).returncode == 0
    return "select", "s.npz", "-k", 3


def lonely(folder):
    table = load_wine(as_frame=True).frame.astype({"target": str})
    table.loc[0, "target"] = "only me"
    table.to_csv(folder / "lonely.csv", index=False)
    return "select", "lonely.csv", "-t", "target", "-k", 3


def few(folder):
    pd.DataFrame({"a": [1.0, 2, 4], "b": [3.0, 1, 2], "y": [1.5, 2.5, 7]}).to_csv(
        folder / "few.csv", index=False
    )
    return "select", "few.csv", "-t", "y", "--task", "regression", "-k", 1


REASONS = {
    "batches": (scanned, "It needs all rows in memory, and rows is read in batches."),
    "a summary": (summarized, "It needs all rows in memory, and s.npz is a summary."),
    "a class of one row": (lonely, "It needs two rows of every class, and 'only me' has only one."),
    "few rows": (few, "It needs four rows or more."),
    "limited": (lambda folder: (*SELECT, "--max-memory", "1GB"), "--max-memory does not count."),
}


@pytest.mark.parametrize("case", REASONS)
def test_there_is_a_reason_where_it_cannot_be_had(case, folder):
    write, reason = REASONS[case]
    asked = write(folder)
    assert reason in run(folder, *asked).partition("New rows: not checked. ")[2]
    assert reason in record(folder, *asked)["reason"]


def test_trust_has_the_same_line_once(folder):
    found = held_out(GeneralizedFisherScore(4), *load_wine(return_X_y=True)).sentence
    assert run(folder, *SELECT, "--trust").count(f"New rows: {found}") == 1
    trust = run(folder, "trust", *SELECT[1:], "--pairs", 0, "--permutations", 0)
    assert trust.count(f"New rows: {found}") == 1
