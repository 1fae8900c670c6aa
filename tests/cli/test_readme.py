"""What the README says the commands print, they print."""

import re
from pathlib import Path

import pytest
from sklearn.datasets import load_breast_cancer

from command import run

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")

NUMBER = re.compile(r"\d+\.\d")


def blocks():
    return [part.strip("\n").splitlines() for part in TEXT.split("```")[1::2]]


def printed(done):
    assert done.returncode == 0, done.stderr
    return [line.rstrip() for line in done.stdout.splitlines()]


def test_select(tmp_path):
    (block,) = [block for block in blocks() if block[0].startswith("$ fisherset select")]
    bunch = load_breast_cancer(as_frame=True)
    table = bunch.data.assign(diagnosis=bunch.target_names[bunch.target])
    table.to_csv(tmp_path / "tumours.csv", index=False)
    assert printed(run(*block[0].split()[2:], cwd=tmp_path, COLUMNS="110")) == block[1:]


def test_demo(tmp_path):
    (block,) = [block for block in blocks() if block[0].startswith("Handwritten digits")]
    lines = printed(run("demo", cwd=tmp_path, COLUMNS="110"))
    # which of two equally near neighbours comes first depends on the machine's BLAS: an image in 899
    for printed_line, line in zip(lines[:-1], block, strict=True):
        assert NUMBER.sub("#", printed_line) == NUMBER.sub("#", line)
        ours, theirs = (list(map(float, NUMBER.findall(one))) for one in (printed_line, line))
        assert ours == pytest.approx(theirs, abs=0.16)
    page = tmp_path / "fisherset-demo.html"
    assert page.name in lines[-1]
    assert page.stat().st_size < 3_000_000
