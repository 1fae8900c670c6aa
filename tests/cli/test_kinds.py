"""Every command reads every kind of file, pipes and folders, and says what it cannot read."""

import hashlib
import json
import os
import subprocess
import sys
import threading

import pytest

from support.command_line import COMMAND, environment, invoke, refused
from support.table_files import frame, write_csv
from support.workbooks import rows_of, write_ods, write_xlsx

SELECT = ("-t", "kind", "-k", "2")


@pytest.fixture
def files(tmp_path):
    """The same table as CSV, without header, as sheet, lines, archive and without a suffix."""
    table = frame()
    write_csv(tmp_path / "t.csv", table)
    table.to_csv(tmp_path / "t.data", index=False, header=False)
    write_xlsx(tmp_path / "t.xlsx", {"rows": rows_of(table), "notes": [["a"], [1]]})
    write_ods(tmp_path / "t.ods", {"notes": [["a"], [1]], "rows": rows_of(table)})
    table.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    table.to_csv(tmp_path / "t.zip", index=False)
    (tmp_path / "t").write_bytes((tmp_path / "t.csv").read_bytes())
    return tmp_path


def selected(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


SAME = {
    "a sheet": ("t.xlsx", ()),
    "a sheet by name": ("t.ods", ("--sheet", "rows")),
    "lines": ("t.jsonl", ()),
    "an archive": ("t.zip", ()),
    "without a suffix": ("t", ()),
}


@pytest.mark.parametrize("case", SAME)
def test_every_command_reads_it(case, files):
    name, how = SAME[case]
    expected = selected(invoke("select", "t.csv", *SELECT, "--json", cwd=files))
    done = invoke("select", name, *SELECT, *how, "--json", "--out", "s.json", cwd=files)
    found = selected(done)
    assert found["file"] == name
    assert {**found, "file": "t.csv"} == expected
    assert ("read 'rows'" in done.stderr) == (case == "a sheet")
    for command in (
        ("certify", name, "--features", "s.json"),
        ("compare", name, *SELECT, "--methods", "fisher,joint", "--repeats", "1"),
        ("alternatives", name, *SELECT),
        ("summarize", name, "-t", "kind", "--out", "sums.npz"),
        ("apply", "s.json", name, "--out", "small.csv"),
    ):
        done = invoke(*command, *how, cwd=files)
        assert done.returncode == 0, done.stderr
    small = (files / "small.csv").read_text()
    assert invoke("apply", "s.json", "t.csv", "--out", "-", cwd=files).stdout == small


@pytest.mark.parametrize(("target", "name"), [("column9", "column9"), ("9", "column9"), ("-1", "column9")])
def test_no_header(target, name, files):
    expected = selected(invoke("select", "t.csv", *SELECT, "--json", cwd=files))
    options = ("--no-header", "-t", target, "-k", "2", "--json")
    found = selected(invoke("select", "t.data", *options, cwd=files))
    assert found["target"] == name
    assert [one["name"] for one in found["features"]] == ["column2", "column1"]
    assert found["objective"] == expected["objective"]


def test_a_pattern_that_the_shell_expanded(files):
    sentence = refused(invoke("select", "a.csv", "b.csv", "c.csv", "-t", "y", cwd=files))
    expected = "Unexpected argument: b.csv c.csv. Give one file, or a pattern in quotes: 'rows/*.csv'. See "
    assert expected in sentence
    assert "pattern" not in refused(invoke("demo", "a.csv", cwd=files))


def test_no_header_where_there_is_one(tmp_path):
    (tmp_path / "t.csv").write_text(
        "id,width,kind\n" + "".join(f"{i},{i % 7},{'ab'[i % 2]}\n" for i in range(30))
    )
    sentence = refused(invoke("select", "t.csv", "--no-header", "-t", "-1", "-k", "1", cwd=tmp_path))
    assert "Line 1 of t.csv is a header, it seems: 'id', 'width', 'kind'. Omit --no-header." in sentence


def test_no_header_has_places_that_exist(files):
    sentence = refused(invoke("select", "t.data", "--no-header", "-t", "-10", "-k", "2", cwd=files))
    assert sentence == "fisherset: t.data has 9 columns; got --target -10."
    sentence = refused(invoke("select", "t.data", "--no-header", "-t", "10", "-k", "2", cwd=files))
    assert "t.data has no column 'column10'" in sentence


def test_a_selection_without_names_is_applied(files):
    done = invoke("select", "t.data", "--no-header", "-t", "-1", "-k", "2", "--out", "s.json", cwd=files)
    assert done.returncode == 0, done.stderr
    done = invoke("apply", "s.json", "t.data", "--no-header", "--out", "-", cwd=files)
    assert done.stdout.splitlines()[0] == '"column2","column1","column9"'
    assert invoke("certify", "t.data", "--no-header", "--features", "s.json", cwd=files).returncode == 0


def test_the_page_has_python_lines_for_the_layout(files):
    done = invoke("select", "t.ods", "--sheet", "rows", *SELECT, "--report", "r.html", cwd=files)
    assert done.returncode == 0, done.stderr
    page = (files / "r.html").read_text(encoding="utf-8")
    assert hashlib.sha256((files / "t.ods").read_bytes()).hexdigest() in page  # of the file, not its text
    assert "Layout(sheet=&#39;rows&#39;)" in page
    done = invoke("select", "t.data", "--no-header", "-t", "-1", "-k", "2", "--report", "r.html", cwd=files)
    page = (files / "r.html").read_text(encoding="utf-8")
    assert "Layout(header=False)" in page
    assert "column9" in page


pipes = pytest.mark.skipif(sys.platform == "win32", reason="pipes")


@pipes
@pytest.mark.parametrize("command", ["select", "compare", "alternatives", "summarize", "certify", "apply"])
def test_a_named_pipe(command, files):
    assert invoke("select", "t.csv", *SELECT, "--out", "s.json", cwd=files).returncode == 0
    os.mkfifo(files / "rows")
    thread = threading.Thread(
        target=(files / "rows").write_bytes, args=((files / "t.csv").read_bytes(),), daemon=True
    )
    thread.start()
    arguments = {
        "select": ["rows", *SELECT, "--report", "r.html"],
        "compare": ["rows", *SELECT, "--methods", "fisher", "--repeats", "1"],
        "alternatives": ["rows", *SELECT],
        "summarize": ["rows", "-t", "kind", "--out", "sums.npz"],
        "certify": ["rows", "--features", "s.json"],
        "apply": ["s.json", "rows", "--out", "small.csv"],
    }[command]
    done = invoke(command, *arguments, cwd=files)
    thread.join()
    assert (done.returncode, done.stderr) == (0, "")
    if command == "select":
        assert "read_table" not in (files / "r.html").read_text(encoding="utf-8")


@pipes
def test_process_substitution(files):
    line = f"{COMMAND[0]} select <(cat t.csv) -t kind -k 2 --json"
    done = subprocess.run(["bash", "-c", line], cwd=files, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["file"] == "piped input"
    line = f"{COMMAND[0]} select <(true) -t kind -k 2"
    done = subprocess.run(["bash", "-c", line], cwd=files, env=environment(), capture_output=True, text=True)
    assert refused(done) == "fisherset: Piped input is empty; did the command before it fail?"


ADDRESSES = {
    "https://example.org/a b.csv": "curl -L 'https://example.org/a b.csv'",
    "http://example.org/t.csv?x=1&y=2": "curl -L 'http://example.org/t.csv?x=1&y=2'",
    "ftp://example.org/t.csv": "curl -L ftp://example.org/t.csv",
    "s3://bucket/t.csv": "aws s3 cp s3://bucket/t.csv -",
    "gs://bucket/t.csv": "gcloud storage cp gs://bucket/t.csv -",
}


@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_is_refused_with_the_command_that_works(address, files):
    sentence = refused(invoke("select", address, "-t", "the kind", "-k", "2", cwd=files))
    assert sentence == (
        f"fisherset: Tables are read from files, not from the web. Run: {ADDRESSES[address]} | "
        f"fisherset select - -t 'the kind' -k 2"
    )
    sentence = refused(invoke("select", "t.csv", "--labels", address, *SELECT, cwd=files))
    copied = ADDRESSES[address].replace("curl -L", "curl -LO").removesuffix(" -")
    assert f"Run: {copied}" in sentence


def test_a_folder_with_a_readme(files):
    expected = selected(invoke("select", "t.csv", *SELECT, "--json", cwd=files))
    (files / "rows").mkdir()
    for part, rows in enumerate((frame()[:40], frame()[40:])):
        write_csv(files / "rows" / f"{part}.csv", rows)
    (files / "rows" / "README.md").write_text("# rows")
    (files / "rows" / "make.py").write_text("print()")
    done = invoke("select", "rows", *SELECT, "--json", cwd=files)
    found = selected(done)
    assert found["objective"] == pytest.approx(expected["objective"], rel=1e-12)
    assert [one["name"] for one in found["features"]] == [one["name"] for one in expected["features"]]
    note = "fisherset: note: Ignored in rows, not tables: 'README.md', 'make.py'.\n"
    assert done.stderr == note
    for path in (files / "rows").glob("*.csv"):
        path.unlink()
    sentence = refused(invoke("select", "rows", *SELECT, cwd=files))
    assert sentence == "fisherset: Folder 'rows' contains no table, only 'README.md', 'make.py'."


def test_sheets_and_kinds_that_do_not_exist(files):
    sentence = refused(invoke("select", "t.xlsx", "--sheet", "Rows", *SELECT, cwd=files))
    assert "t.xlsx has no sheet 'Rows'; it has the sheets 'rows', 'notes'" in sentence
    sentence = refused(invoke("select", "t.csv", "--sheet", "rows", *SELECT, cwd=files))
    assert sentence == ("fisherset: --sheet needs an Excel or OpenDocument file; t.csv has no sheets.")
    (files / "t.docx").write_bytes(b"PK")
    sentence = refused(invoke("select", "t.docx", *SELECT, cwd=files))
    assert sentence.startswith("fisherset: t.docx has an unsupported file type; supported: text (.csv, ")


def test_without_the_extra(files, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    assert refused(invoke("select", "t.xlsx", *SELECT, cwd=files)) == (
        "fisherset: Excel files need the extra fisherset[excel]; or save the sheet as CSV. "
        'Install it with: pip install "fisherset[excel]"'
    )
