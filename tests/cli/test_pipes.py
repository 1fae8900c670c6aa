"""A reader of the output may stop reading: `| head -1` is no error."""

import errno
import os
import subprocess
import sys

import pytest
from sklearn.datasets import load_wine

from support.command_line import COMMAND, environment, invoke

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
    assert (done.returncode, done.stderr) == (141, "")
    assert (wine / "s.json").exists() == ("--out" in arguments)  # the work is done all the same


def test_nobody_hears_the_refusal(wine):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "select", "none.csv"], cwd=wine, env=environment(), stderr=writer)
    os.close(writer)
    assert done.returncode == 2


@pytest.mark.parametrize("shown", ["table", "names", "csv", "json"])
def test_every_format_ends_with_141(shown, wine):
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, "select", "wine.csv", "-t", "target", "-k", "3", "--format", shown]
    done = subprocess.run(
        command, cwd=wine, env=environment(), stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")
def test_a_full_disk_behind_the_output(wine):
    with open("/dev/full", "w") as full:
        command = [*COMMAND, "select", "wine.csv", "-t", "target", "-k", "3"]
        done = subprocess.run(
            command, cwd=wine, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "fisherset: the output could not be printed: No space left on device.\n"


def test_a_full_disk_behind_the_files(wine):
    """The answer is printed, and the sentence says which files are there."""
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))  # bytes of a file

    written = ["--out", "s.json", "--report", "r.html", "--write", "w.csv"]
    command = [*COMMAND, "select", "wine.csv", "-t", "target", "-k", "3", *written]
    environ = environment(PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(command, cwd=wine, env=environ, capture_output=True, text=True, preexec_fn=limit)
    assert done.returncode == 2
    assert "F = " in done.stdout
    said = "fisherset: r.html could not be written: file too large. Written: s.json. Not written: w.csv.\n"
    assert done.stderr.endswith(said)
    assert sorted(path.name for path in wine.iterdir()) == ["s.json", "wine.csv"]


@pytest.mark.long
@pytest.mark.parametrize("gigabytes", [0.5, 1, 2, 4])
def test_little_memory_ends_in_an_answer_or_a_sentence(wine, gigabytes):
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30), int(gigabytes * 2**30)))

    command = [*COMMAND, "select", "wine.csv", "-t", "target", "-k", "3"]
    done = subprocess.run(
        command, cwd=wine, env=environment(), capture_output=True, text=True, preexec_fn=limit
    )
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr


BOMBS = {
    "many rows": (b"a,b,y\n", b"1.5,2.5,u\n2.5,1.5,v\n" * 50_000, 300),
    "a row that never ends": (b"a,b,y\n1.5,2.5,u\n", b"x" * 2**20, 400),
    "a header that never ends": (b"a,b,y", b",x" * 2**19, 400),
    "empty lines": (b"a,b,y\n1,2,u\n3,1,u\n2,1,v\n", b"\n" * 2**20, 300),
}


@pytest.mark.long
@pytest.mark.parametrize("case", BOMBS)
def test_a_small_file_of_a_large_table_ends_in_an_answer_or_a_sentence(case, tmp_path):
    """Never in a signal, as pyarrow's SIGABRT, where memory is limited as by `ulimit -v`."""
    import gzip
    import resource

    start, part, times = BOMBS[case]
    with gzip.open(tmp_path / "t.csv.gz", "wb", compresslevel=3) as file:
        file.write(start)
        for _ in range(times):
            file.write(part)

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (3 * 2**29, 3 * 2**29))

    command = [*COMMAND, "select", "t.csv.gz", "-t", "y", "-k", "1"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(), capture_output=True, text=True, preexec_fn=limit
    )
    assert done.returncode in (0, 2), done.stderr
    assert "Traceback" not in done.stderr
    assert [line for line in done.stderr.splitlines() if not line.startswith("fisherset: ")] == []


WRITING = {  # commands, the beginning of what they print before they write, and the file
    "select wine.csv -t target -k 2 --out new.json": ("wine.csv: 178 rows", "new.json"),
    "select wine.csv -t target -k 2 --report new.html": ("wine.csv: 178 rows", "new.html"),
    "select wine.csv -t target -k 2 --write new.parquet": ("wine.csv: 178 rows", "new.parquet"),
    "compare wine.csv -t target -k 2 --methods fisher --repeats 1 --report new.html": ("", "new.html"),
    "alternatives wine.csv -t target -k 2 --report new.html": ("", "new.html"),
    "summarize wine.csv -t target --out new.npz": ("wine.csv: 178 rows", "new.npz"),
    "merge s.npz --out new.npz": ("178 rows", "new.npz"),
    "apply s.json wine.csv --out new.csv": (None, "new.csv"),
    "reproduce --only table1 --data-dir data --out new": (None, "new"),
}


@pytest.mark.parametrize("line", WRITING)
def test_a_full_disk_behind_every_command(line, wine, monkeypatch, request):
    """The answer comes first, then a sentence with the file, of which nothing is left."""
    invoke("select", "wine.csv", "-t", "target", "-k", 2, "--out", "s.json", cwd=wine)
    invoke("summarize", "wine.csv", "-t", "target", "--out", "s.npz", cwd=wine)
    if "reproduce" in line:
        (wine / "data").symlink_to(request.getfixturevalue("paper_folder"))

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("fisherset._files.os.replace", full)
    done = invoke(*line.split(), cwd=wine)
    start, file = WRITING[line]
    assert done.returncode == 2
    assert "Errno" not in done.stderr
    (said,) = [text for text in done.stderr.splitlines() if "note:" not in text]
    assert "no space left on device" in said
    assert said.startswith("fisherset: ")
    assert file in said
    assert bool(done.stdout) == (start is not None)
    assert done.stdout.startswith(start or "")
    assert not [path for path in wine.rglob("*new*") if path.is_file()]
