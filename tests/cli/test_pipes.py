"""A reader of the output may stop reading: `| head -1` is no error."""

import os
import subprocess
import sys

import pytest
from sklearn.datasets import load_wine

from support.command_line import COMMAND, environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes")


@pytest.fixture
def wine(tmp_path):
    load_wine(as_frame=True).frame.to_csv(tmp_path / "wine.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [
        ("select wine.csv -t target -k 3 --out s.json", ""),
        ("select wine.csv -t target -k 3 --out s.json --json", "1"),
        ("select -h", "1"),
        ("--version", ""),
        pytest.param("select wine.csv -t target -k 3 --out s.json", "1", marks=pytest.mark.long),
        pytest.param("select wine.csv -t target -k 3 --out s.json --json", "", marks=pytest.mark.long),
        pytest.param("demo --quiet --json", "", marks=pytest.mark.long),
    ],
)
def test_a_reader_that_has_gone(arguments, unbuffered, wine):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, *arguments.split()],
        cwd=wine,
        env=environment(PYTHONUNBUFFERED=unbuffered),
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
    assert (wine / "s.json").exists() == ("--out" in arguments)  # the work is done all the same


def test_nobody_hears_the_refusal(wine):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "select", "none.csv"], cwd=wine, env=environment(), stderr=writer)
    os.close(writer)
    assert done.returncode == 2
