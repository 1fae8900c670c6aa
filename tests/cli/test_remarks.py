"""Remarks with a certificate: a copy of the target, a search cut short, comparison with chance."""

import json
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_wine

import fisherset
from fisherset import GeneralizedFisherScore, certify, selection_path
from fisherset.evaluation import giveaways
from fisherset.selection import constraints
from fisherset.solver import Status
from support.command_line import invoke
from support.long_cases import only
from support.table_files import frame, write_csv

CODES = {"low": 5, "middle": 1, "high": 2}
LEAKS = {
    "a copy as text": lambda t: t.assign(copy=t["kind"]),
    "a copy in other words": lambda t: t.assign(copy=t["kind"].map({"low": "x", "middle": "y", "high": "z"})),
    "a copy as numbers": lambda t: t.assign(copy=t["kind"].map({"low": 5, "middle": 1, "high": 2})),
    "a copy with noise": lambda t: t.assign(
        copy=t["kind"].map({"low": 5, "middle": 1, "high": 2}) + t["g5"] / 1e4
    ),
    "one class of it": lambda t: t.assign(copy=t["kind"] == "low"),
    "finer classes": lambda t: t.assign(copy=t["kind"] + np.array(["", "er"])[t.index // 3 % 2]),
}
COMMANDS = {
    "select": ("select", "t.csv", "-t", "kind", "-k", 3),
    "compare": ("compare", "t.csv", "-t", "kind", "-k", 3, "--methods", "fisher", "--repeats", 1),
    "alternatives": ("alternatives", "t.csv", "-t", "kind", "-k", 3),
    "certify": ("certify", "t.csv", "-t", "kind", "--features", "names.txt"),
}


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("leak", "command"),
    only(lambda case: case[1] == "select" or case[0] == "a copy as text", product(LEAKS, COMMANDS)),
)
def test_a_copy_of_the_target_is_remarked_on(leak, command, tmp_path):
    write_csv(tmp_path / "t.csv", LEAKS[leak](frame()))
    (tmp_path / "names.txt").write_text("g0\ng1\n")
    report = () if command == "certify" else ("--report", "r.html")
    said = words(invoke(*COMMANDS[command], *report, cwd=tmp_path).stdout)
    remark = "Column 'copy' determines the target (leakage). If it is not known before the target, leave it"
    option = "--drop" if command == "compare" else "--exclude"
    remark = f"{remark} out: {option} copy."
    assert remark in said
    assert said.index(remark) < said.index("F = ")
    found = json.loads(invoke(*COMMANDS[command], "--json", cwd=tmp_path).stdout)
    assert remark in found["remarks"][0]
    if report:
        assert "Column &#39;copy&#39; determines the target" in (tmp_path / "r.html").read_text(
            encoding="utf-8"
        )


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_said_of_honest_columns(command, tmp_path):
    write_csv(tmp_path / "t.csv", frame())
    (tmp_path / "names.txt").write_text("g0\ng1\n")
    remarks = json.loads(invoke(*COMMANDS[command], "--json", cwd=tmp_path).stdout)["remarks"]
    assert all(
        "noise column" in remark or "No column" in remark for remark in remarks
    )  # nothing but how they compare with chance
    assert "leakage" not in words(invoke(*COMMANDS[command], cwd=tmp_path).stdout)


def test_what_is_no_copy():
    X, y = load_wine(return_X_y=True)
    assert giveaways(X, y).size == 0
    constant, rare = np.ones(len(y)), np.arange(len(y)) == 0
    assert giveaways(np.column_stack([X, constant, rare]), y).size == 0
    # values that come once or twice are of one class each by accident
    values = pd.get_dummies(pd.Series(np.arange(len(y)) // 2)).to_numpy(dtype=float)
    assert giveaways(values, y, ["code"] * values.shape[1]).size == 0
    # nor does it mean much that the two rows of a small class share a value
    few = np.where(np.arange(len(y)) < 2, 3, y)
    assert giveaways(np.column_stack([X, few == 3]), few).size == 0
    assert giveaways(np.column_stack([X, few]), few).tolist() == [13]
    assert giveaways(np.array([[0.0], [0], [1], [1]]), [0, 0, 1, 1]).tolist() == [0]


def test_what_is_a_copy_of_numbers():
    rng = np.random.default_rng(0)
    y, X = rng.normal(size=300), rng.normal(size=(300, 200))
    X[:, 7], X[:, 150], X[:, 151] = 1e300 * y, 3 - y + X[:, 0] / 1e4, y + X[:, 0] / 10
    X[:, 9] = 1.0
    for table in (X, sparse.csr_array(X)):
        assert giveaways(table, y, task="regression").tolist() == [7, 150]


class Noise(NamedTuple):
    """As the selectors keep it."""

    chance: bool
    n_features: int = 9
    n_chosen: int = 3
    n_above: int = 3

    def __str__(self):
        return f"Noise alone would do {'as well' if self.chance else 'worse'}."


@pytest.mark.parametrize("chance", [True, False])
@pytest.mark.parametrize("command", ["select", "compare"])
def test_noise_stands_beside_the_certificate(command, chance, tmp_path, monkeypatch):
    write_csv(tmp_path / "t.csv", frame())
    monkeypatch.setattr(constraints, "measure_noise", lambda *_: Noise(chance))
    arguments = (*COMMANDS[command], "--report", "r.html")
    said = words(invoke(*arguments, cwd=tmp_path, FORCE_COLOR="1").stdout)
    sentence = str(Noise(chance))
    assert (sentence in said) == (chance or command == "select")  # a comparison says only what warns
    assert (f"\x1b[1m{sentence}" in said) == chance  # bold
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert sentence in page
    assert (f"<p>{sentence}</p>" in page.partition('id="names"')[0]) == chance  # in the box of warnings
    found = json.loads(invoke(*arguments, "--json", cwd=tmp_path).stdout)
    remarks = found["certificates"]["3"]["remarks"] if command == "compare" else found["remarks"]
    assert remarks == [sentence]


@pytest.mark.parametrize("chance", [True, False])
def test_certify_speaks_of_noise_too(chance, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 2000))
    if not chance:
        X[:, :2] += 2 * y[:, None]
    np.savez(tmp_path / "t.npz", X=X, y=y, classes=["a", "b"])
    (tmp_path / "names.txt").write_text("x0\nx1\n")
    arguments = ("certify", "t.npz", "--features", "names.txt")
    said = words(invoke(*arguments, cwd=tmp_path).stdout)
    assert "noise column" in said
    assert ("by chance." in said) == chance
    found = json.loads(invoke(*arguments, "--json", cwd=tmp_path).stdout)
    assert found["noise"]["chance"] == chance
    assert found["noise"]["n_chosen"] == 2
    assert ("by chance." in str(certify(X, y, [0, 1]))) == chance


@pytest.mark.parametrize("command", ["select", "compare"])
def test_a_search_cut_short_says_so_once(command, tmp_path, monkeypatch):
    write_csv(tmp_path / "t.csv", frame().drop(columns="colour"))
    fit = GeneralizedFisherScore.fit

    def cut_short(self, X, y=None):
        self.set_params(max_iter=1, tol=1e-12)
        return fit(self, X, y)

    short = {"max_iter": 1, "tol": 1e-12}
    monkeypatch.setattr(GeneralizedFisherScore, "fit", cut_short)
    monkeypatch.setattr(fisherset, "selection_path", lambda *a, **m: selection_path(*a, **m, **short))
    done = invoke(*COMMANDS[command], "--report", "r.html", cwd=tmp_path)
    assert "a better set may exist. Raise --gamma." in words(done.stdout)
    assert done.stderr == ""
    assert "a better set may exist" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_certify_says_how_it_ended(tmp_path, monkeypatch):
    write_csv(tmp_path / "t.csv", frame())
    (tmp_path / "names.txt").write_text("g0\ng1\n")
    found = json.loads(invoke(*COMMANDS["certify"], "--json", cwd=tmp_path).stdout)
    assert found["status"] == "CONVERGED"
    monkeypatch.setattr(
        fisherset, "certify", lambda *a, **m: certify(*a, **m)._replace(status=Status.INEXACT)
    )
    assert "F is uncertain (rounding): its true value is at least the one stated." in words(
        invoke(*COMMANDS["certify"], cwd=tmp_path).stdout
    )


@pytest.mark.parametrize(("width", "k"), [(1, 1), (7, 3), (60, 30), (120, 50)])
def test_how_many_features_where_nobody_says(width, k, tmp_path):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "t.npz", X=rng.normal(size=(30, width)), y=np.arange(30) % 2, classes=["a", "b"])
    done = invoke("select", "t.npz", cwd=tmp_path)
    assert (done.returncode, done.stdout.startswith("t.npz: 30 rows")) == (0, True)
    found = invoke("select", "t.npz", "--json", cwd=tmp_path)
    assert len(json.loads(found.stdout)["features"]) == k
    note = f"fisherset: note: t.npz: without -k, {k} of {width} features are selected (half).\n"
    assert done.stderr == ("" if width == 120 else note)
    assert len(json.loads(invoke("select", "t.npz", "--json", "-q", cwd=tmp_path).stdout)["features"]) == k
