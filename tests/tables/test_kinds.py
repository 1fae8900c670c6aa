"""Files of every kind hold the same table: told by the suffix, or by the content where that says nothing."""

import bz2
import datetime
import gzip
import io
import json
import lzma
import os
import sys
import threading
import warnings
import zipfile

import numpy as np
import pyarrow as pa
import pytest

from fisherset import GeneralizedFisherScore, scan
from fisherset._kinds import address_of, kind_of
from fisherset.tables import Layout, columns_in, read_table
from support.scan_files import together
from support.table_files import frame, write_csv, write_h5ad, write_npz, write_svmlight
from support.workbooks import rows_of, write_ods, write_xlsx


def text_of(table, **options):
    return table.to_csv(index=False, **options).encode()


def made(write, table, suffix):
    """The bytes of a file that a function writes."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{suffix}"
        write(path, table)
        return path.read_bytes()


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def arrow(name):
    def compressed(data):
        with pa.BufferOutputStream() as sink:
            with pa.CompressedOutputStream(sink, name) as stream:
                stream.write(data)
            return sink.getvalue().to_pybytes()

    return compressed


PACKERS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": arrow("zstd"),
    ".lz4": arrow("lz4"),
}


def lines(table):
    return table.to_json(orient="records", lines=True).encode()


def workbook(write):
    return lambda table: made(lambda path, table: write(path, {"Sheet1": rows_of(table)}), table, "")


xlsx, ods = workbook(write_xlsx), workbook(write_ods)


def parquet(table):
    return made(lambda path, table: table.to_parquet(path, index=False), table, ".parquet")


def feather(table):
    return made(lambda path, table: table.to_feather(path), table, ".feather")


# name of the file, its content from the table
KINDS = {
    "a workbook": ("t.xlsx", xlsx),
    "a workbook in capitals": ("T.XLSX", xlsx),
    "an OpenDocument sheet": ("t.ods", ods),
    "text called .xls": ("t.xls", lambda table: text_of(table, sep="\t")),
    "a workbook without a suffix": ("t", xlsx),
    "an OpenDocument sheet without a suffix": ("t", ods),
    "records": ("t.json", lambda table: table.to_json(orient="records").encode()),
    "columns as pandas writes them": ("t.json", lambda table: table.to_json().encode()),
    "columns of lists": ("t.json", lambda table: json.dumps(table.to_dict(orient="list")).encode()),
    "split as pandas writes it": ("t.json", lambda table: table.to_json(orient="split").encode()),
    "a table as pandas writes it": ("t.json", lambda t: t.to_json(orient="table", index=False).encode()),
    "arrays": ("t.json", lambda table: json.dumps(rows_of(table)).encode()),
    "JSON with a byte order mark": ("t.json", lambda t: t.to_json(orient="records").encode("utf-8-sig")),
    "lines": ("t.jsonl", lines),
    "ndjson": ("t.ndjson", lines),
    "lines called .json": ("t.json", lines),
    "JSON without a suffix": ("t", lambda table: table.to_json(orient="records").encode()),
    "text without a suffix": ("t", text_of),
    ".data": ("t.data", text_of),
    ".dat with tabs": ("t.dat", lambda table: text_of(table, sep="\t")),
    ".dat with spaces": ("t.dat", lambda table: text_of(table, sep=" ")),
    "an unknown suffix": ("t.v2", text_of),
    "a compressed text without its suffix": ("t.gz", lambda table: gzip.compress(text_of(table))),
    "Parquet without a suffix": ("t", parquet),
    "Parquet as a part": ("part-0000", parquet),
    "Feather without a suffix": ("t", feather),
    "an archive": ("t.zip", lambda table: zipped({"data/t.csv": text_of(table)})),
    "an archive without a suffix": ("t", lambda table: zipped({"t.csv": text_of(table)})),
    "an archive of macOS": (
        "t.zip",
        lambda table: zipped(
            {"t.csv": text_of(table), "__MACOSX/._t.csv": b"\0\5\26\7", ".DS_Store": b"\0", "data/": b""}
        ),
    ),
    "an archive of a compressed text": ("t.zip", lambda t: zipped({"t.csv.gz": gzip.compress(text_of(t))})),
    "an archive of a workbook": ("t.zip", lambda table: zipped({"t.xlsx": xlsx(table)})),
    "an archive of Parquet": ("t.zip", lambda table: zipped({"part-0": parquet(table)})),
    "an archive of lines": ("t.zip", lambda table: zipped({"t.jsonl": lines(table)})),
    **{
        f"lines{suffix}": (f"t.jsonl{suffix}", lambda table, pack=pack: pack(lines(table)))
        for suffix, pack in PACKERS.items()
    },
    **{
        f"text called t.data{suffix}": (f"t.data{suffix}", lambda table, pack=pack: pack(text_of(table)))
        for suffix, pack in PACKERS.items()
    },
}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    path = tmp_path_factory.mktemp("expected") / "t.csv"
    write_csv(path, frame())
    return read_table(path, "kind")


@pytest.mark.parametrize("case", KINDS)
def test_every_kind_is_read_as_the_csv(case, expected, tmp_path):
    """By whole file and by batches: the same numbers, names and labels."""
    name, content = KINDS[case]
    path = tmp_path / name
    path.write_bytes(content(frame()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".* with a space between cells")
        table = read_table(path, "kind")
        scanned = scan(path, "kind")
        assert columns_in(path) == list(frame().columns)
    assert table.path == path
    assert table.names == expected.names == scanned.names
    flag = table.names.index("flag")
    np.testing.assert_array_equal(table.X, expected.X)
    np.testing.assert_array_equal(table.X[:, flag], frame()["flag"])
    np.testing.assert_array_equal(table.y, expected.y)
    X, y, _ = together(scanned)
    np.testing.assert_array_equal(X, expected.X)
    assert y.tolist() == expected.y.tolist()
    chosen = GeneralizedFisherScore(2).fit(scanned).get_support()
    np.testing.assert_array_equal(chosen, GeneralizedFisherScore(2).fit(expected.X, expected.y).get_support())


MATRICES = {
    "npz": (write_npz, ".npz", None),
    "svmlight": (write_svmlight, ".svmlight", None),
    "h5ad": (write_h5ad, ".h5ad", "kind"),
}


@pytest.mark.parametrize("case", MATRICES)
@pytest.mark.parametrize("name", ["t", "t.data", "t.zip"])
def test_matrices_are_told_by_their_content(case, name, tmp_path):
    write, suffix, target = MATRICES[case]
    usual, path = tmp_path / f"usual{suffix}", tmp_path / name
    write(usual, frame())
    data = usual.read_bytes()
    path.write_bytes(zipped({f"in{suffix}": data}) if name == "t.zip" else data)
    table, same = read_table(path, target), read_table(usual, target)
    assert (table.X != same.X).sum() == 0
    assert table.names == same.names
    assert table.y.tolist() == same.y.tolist()


def test_svmlight_of_the_web_is_compressed_and_has_no_suffix(tmp_path):
    write_svmlight(tmp_path / "t.svmlight", frame())
    for suffix, pack in PACKERS.items():
        path = tmp_path / f"a9a{suffix}"
        path.write_bytes(pack((tmp_path / "t.svmlight").read_bytes()))
        assert kind_of(path) == ".svmlight"
        found, same = read_table(path, None), read_table(tmp_path / "t.svmlight", None)
        assert (found.X != same.X).nnz == 0


# Cells of sheets ---------------------------------------------------------------------------------------

DAY = datetime.datetime(2024, 1, 31)
SHEETS = {
    "numbers as names": ([[2019, 2020.5, "kind"], [1, 2.5, "a"], [3, 4.5, "b"]], ["2019", "2020.5", "kind"]),
    "empty rows and columns around": (
        [
            [],
            [None, None],
            [None, None, "a", "kind", None],
            [None, None, 1, "x", None],
            [],
            [None, None, 2, "y"],
        ],
        ["a", "kind"],
    ),
    "empty rows in between": ([["a", "kind"], [1, "x"], [None, None], [2, "y"], [None], []], ["a", "kind"]),
    "booleans": ([["flag", "a", "kind"], [True, 1, "x"], [False, 2, "y"]], ["flag", "a", "kind"]),
    "cells with separators": ([["a,b", 'c"d', "kind"], [1, 2, "x,\ny"], [3, 4, '"']], ["a,b", 'c"d', "kind"]),
    "labels that are numbers": ([["a", "kind"], [1, 7], [2, 8.0]], ["a", "kind"]),
}


@pytest.mark.parametrize("write", [write_xlsx, write_ods])
@pytest.mark.parametrize("case", SHEETS)
def test_cells(case, write, tmp_path):
    """As they are in the CSV that a spreadsheet program saves."""
    rows, names = SHEETS[case]
    write(tmp_path / "t.xlsx", {"one": rows})
    table = read_table(tmp_path / "t.xlsx", "kind")
    assert table.names == names[:-1]
    held = [[cell for cell in row if cell is not None] for row in rows if any(c is not None for c in row)]
    assert table.X.tolist() == [[float(cell) for cell in row[:-1]] for row in held[1:]]
    assert table.y.tolist() == [row[-1] for row in held[1:]]


@pytest.mark.parametrize("write", [write_xlsx, write_ods])
def test_missing_cells_and_dates(write, tmp_path):
    rows = [["a", "day", "note", "kind"], [1, DAY, "x", "u"], [None, DAY, None, "v"], [3, DAY, "x", "u"]]
    write(tmp_path / "t.xlsx", {"one": rows})
    with pytest.raises(ValueError, match="'day'"):
        read_table(tmp_path / "t.xlsx", "kind", impute="median")
    with pytest.raises(ValueError, match=r"Columns? 'a' ha.* missing values"):
        read_table(tmp_path / "t.xlsx", "kind", drop=["day", "note"])
    table = read_table(tmp_path / "t.xlsx", "kind", drop=["day"], impute="median")
    assert table.X[:, 0].tolist() == [1, 2, 3]
    text = "a,day,note,kind\n1,2024-01-31,x,u\n,2024-01-31,,v\n3,2024-01-31,x,u\n"
    (tmp_path / "t.csv").write_text(text)
    assert (
        read_table(tmp_path / "t.csv", "kind", drop=["day"], impute="median").X.tolist() == table.X.tolist()
    )


def test_errors_of_formulas_are_missing(tmp_path):
    write_xlsx(tmp_path / "t.xlsx", {"one": [["a", "kind"], ["#DIV/0!", "u"], [2, "v"], [4, "u"]]})
    assert read_table(tmp_path / "t.xlsx", "kind", impute="median").X.tolist() == [[3], [2], [4]]


def test_rows_are_named_by_their_numbers_in_the_sheet(tmp_path):
    rows = [[], ["a", "kind"], *([i, "u" if i % 2 else "v"] for i in range(20))]
    rows[7][0] = "five"
    write_xlsx(tmp_path / "t.xlsx", {"one": rows})
    with pytest.raises(ValueError, match=r"t\.xlsx.*'five' in line 8"):
        read_table(tmp_path / "t.xlsx", "kind")
    table = read_table(tmp_path / "t.xlsx", "kind", layout=Layout(missing=("five",)), impute="median")
    assert len(table.X) == 20


def test_a_sheet_by_name(tmp_path):
    first, second = [["a", "kind"], [1, "u"], [2, "v"]], [["b", "kind"], [3, "u"], [4, "v"]]
    write_xlsx(tmp_path / "t.xlsx", {"one": first, "two": second})
    with pytest.warns(UserWarning, match=r"t\.xlsx has the sheets 'one', 'two'; read 'one'\. Name another"):
        assert read_table(tmp_path / "t.xlsx", "kind").names == ["a"]
    for layout in (Layout(sheet="two"), Layout(sheet="two", separator=";", encoding="latin-1")):
        assert read_table(tmp_path / "t.xlsx", "kind", layout=layout).names == ["b"]
        assert scan(tmp_path / "t.xlsx", "kind", layout=layout).names == ["b"]
    with pytest.raises(ValueError, match=r"has no sheet 'Two'; it has the sheets 'one', 'two'\."):
        read_table(tmp_path / "t.xlsx", "kind", layout=Layout(sheet="Two"))
    write_csv(tmp_path / "t.csv", frame())
    with pytest.raises(ValueError, match=r"--sheet needs an Excel.*t\.csv has no sheets"):
        read_table(tmp_path / "t.csv", "kind", layout=Layout(sheet="two"))
    write_xlsx(tmp_path / "t.xlsx", {"one": first, "two": second}, hidden=["one"])
    with pytest.warns(UserWarning, match="read 'two'"):
        assert read_table(tmp_path / "t.xlsx", "kind").names == ["b"]


def test_labels_in_a_workbook(tmp_path):
    (tmp_path / "t.csv").write_text("sample,a\n007,1\n008,2\n")
    labels = {"one": [["x"], [1]], "two": [["sample", "kind"], ["008", "v"], ["007", "u"]]}
    write_xlsx(tmp_path / "l.xlsx", labels)
    layout = Layout(labels=tmp_path / "l.xlsx", on="sample", sheet="two")
    assert read_table(tmp_path / "t.csv", "kind", layout=layout).y.tolist() == ["u", "v"]


# What is refused ---------------------------------------------------------------------------------------


REFUSED = {
    "no sheet with cells": (
        "t.xlsx",
        lambda t: made(lambda p, _: write_xlsx(p, {"one": [[]]}), t, ""),
        "Sheet 'one' of t.xlsx is empty",
    ),
    "a cut workbook": ("t.xlsx", lambda table: xlsx(table)[:600], r"t\.xlsx cannot be read; is it damaged"),
    "a workbook that is none": ("t.xlsx", lambda table: b"\0\1\2", r"t\.xlsx cannot be read; is it damaged"),
    "a workbook without rows": (
        "t.xlsx",
        lambda t: made(lambda p, _: write_xlsx(p, {"one": [["a", "kind"]]}), t, ""),
        r"t\.xlsx has no rows",
    ),
    "several tables": (
        "t.zip",
        lambda t: zipped({"a.csv": text_of(t), "b.csv": text_of(t), "README.md": "x"}),
        r"t\.zip holds 2 tables: 'a\.csv', 'b\.csv'\. Unpack it",
    ),
    "no table": ("t.zip", lambda table: zipped({"README.md": "x"}), r"t\.zip holds no table"),
    "an empty table": ("t.zip", lambda table: zipped({"t.csv": ""}), r"T\.zip is empty"),
    "an archive in an archive": ("t.zip", lambda t: zipped({"a.zip": zipped({})}), "holds another archive"),
    "a cut archive": ("t.zip", lambda t: zipped({"t.csv": text_of(t)})[:90], r"t\.zip cannot be read; is it"),
    "JSON of one number": ("t.json", lambda table: b"3", r"t\.json holds no table\. It must be an array"),
    "JSON of nothing": ("t.json", lambda table: b"[]", r"t\.json holds no table"),
    "cut JSON": (
        "t.json",
        lambda t: t.to_json(orient="records").encode()[:99],
        r"t\.json is not valid JSON in line 1",
    ),
    "cut lines": (
        "t.jsonl",
        lambda table: lines(table)[:-9],
        r"t\.jsonl is not valid JSON in line 90",
    ),
    "a line that is no record": (
        "t.jsonl",
        lambda table: b'{"a": 1}\n3\n',
        r"Line 2 of t\.jsonl is no record",
    ),
    "nested values": (
        "t.json",
        lambda table: b'[{"a": 1, "kind": "u"}, {"a": [1, 2], "kind": "v"}]',
        r"row 2 holds \[1, 2\]\. Flatten it",
    ),
    "a selection": ("t.json", lambda table: b'{"format": "fisherset selection"}', "wrote it as a selection"),
    "columns of two lengths": (
        "t.json",
        lambda table: b'{"a": [1], "b": [1, 2]}',
        "different lengths: 1 and 2",
    ),
    "lone surrogates": ("t.json", lambda table: rb'[{"a": "\ud800", "kind": "u"}]', "what is no character"),
    "an unsupported suffix": ("t.docx", xlsx, r"t\.docx has an unsupported file type; supported: text"),
    "unsupported content": (
        "t",
        lambda table: b"\x80\x02}q\0.",
        r"t has an unsupported file type; supported:",
    ),
    "compressed Parquet": ("t.parquet.gz", lambda t: gzip.compress(parquet(t)), "decompress it first"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case, tmp_path):
    name, content, message = REFUSED[case]
    (tmp_path / name).write_bytes(content(frame()))
    for opened in (read_table, scan)[: 1 if "without rows" in case else 2]:  # a scan counts them later
        with pytest.raises(ValueError, match=message):
            opened(tmp_path / name, "kind")


def test_a_locked_archive_is_refused(tmp_path):
    data = bytearray(zipped({"t.csv": text_of(frame())}))
    data[6] |= 1  # the bits that say so, of the member and of the directory
    data[data.rindex(b"PK\1\2") + 8] |= 1
    (tmp_path / "t.zip").write_bytes(data)
    with pytest.raises(ValueError, match=r"t\.zip cannot be unpacked: .*encrypted.*Unpack it, and name"):
        read_table(tmp_path / "t.zip", "kind")


def test_a_cell_far_from_the_others(monkeypatch, tmp_path):
    """The grid up to it, which calamine fills, has to fit into memory."""
    rows = [["a", "kind"], [1, "u"], [2, "v"]]
    write_xlsx(tmp_path / "t.xlsx", {"one": rows})
    with zipfile.ZipFile(tmp_path / "t.xlsx") as archive:
        members = {info.filename: archive.read(info) for info in archive.infolist()}
    sheet = "xl/worksheets/sheet1.xml"
    far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    members[sheet] = members[sheet].replace(b"</sheetData>", far)
    (tmp_path / "t.xlsx").write_bytes(zipped(members))
    monkeypatch.setattr("fisherset.tables.memory.free_memory", lambda: 1e11)
    with pytest.raises(
        ValueError, match=r"t\.xlsx needs .* of memory for a sheet of 1048576 rows of 16384 columns"
    ):
        read_table(tmp_path / "t.xlsx", "kind")


def test_without_calamine(monkeypatch, tmp_path):
    (tmp_path / "t.xlsx").write_bytes(xlsx(frame()))
    (tmp_path / "t.ods").write_bytes(ods(frame()))
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    said = r"files need the extra fisherset\[excel\]; or save the sheet as CSV\. Install it with: pip install"
    with pytest.raises(ImportError, match=f"Excel {said}"):
        read_table(tmp_path / "t.xlsx", "kind")
    with pytest.raises(ImportError, match=f"OpenDocument {said}"):
        read_table(tmp_path / "t.ods", "kind")


# No header ---------------------------------------------------------------------------------------------


def bare(table, **options):
    return table.to_csv(index=False, header=False, **options).encode()


HEADLESS = {
    "text": ("t.csv", bare),
    "without a suffix": ("iris.data", bare),
    "tabs": ("t.tsv", lambda table: bare(table, sep="\t")),
    "decimal commas": ("t.csv", lambda table: bare(table, sep=";", decimal=",")),
    "below comments": ("t.csv", lambda table: b"# made by hand\n# in 2024\n" + bare(table)),
    "UTF-16": ("t.txt", lambda table: bare(table).decode().encode("utf-16")),
    "compressed": ("t.csv.gz", lambda table: gzip.compress(bare(table))),
    "a sheet": ("t.xlsx", lambda t: made(lambda p, t: write_xlsx(p, {"one": rows_of(t)[1:]}), t, "")),
    "JSON": ("t.json", lambda table: json.dumps(rows_of(table)[1:]).encode()),
}


@pytest.mark.parametrize("case", HEADLESS)
@pytest.mark.filterwarnings("ignore:.* is read")
def test_no_header(case, expected, tmp_path):
    name, content = HEADLESS[case]
    path = tmp_path / name
    path.write_bytes(content(frame()))
    layout = Layout(header=False, separator=";" if case == "decimal commas" else None)
    table = read_table(path, "column9", layout=layout)
    assert table.names == [
        *(f"column{j}" for j in range(1, 7)),
        *(f"column7={value}" for value in ("blue", "green", "red")),
        "column8",
    ]
    np.testing.assert_array_equal(table.X, expected.X)
    assert table.y.tolist() == expected.y.tolist()
    X, y, _ = together(scan(path, "column9", layout=layout))
    np.testing.assert_array_equal(X, expected.X)
    assert y.tolist() == expected.y.tolist()


def test_a_header_that_is_lacking_is_named_with_the_option(tmp_path):
    (tmp_path / "t.csv").write_bytes(bare(frame()))
    (tmp_path / "t.parquet").write_bytes(parquet(frame()))
    with pytest.raises(ValueError, match=r"t\.csv has no column 'kind'|Add --no-header"):
        read_table(tmp_path / "t.csv", "kind")
    (tmp_path / "u.csv").write_text("1.5,1.5,u\n2.5,3.5,v\n")
    with pytest.raises(ValueError, match=r"u\.csv has no header.*Add --no-header, or write the names"):
        read_table(tmp_path / "u.csv", "kind")
    with pytest.raises(ValueError, match=r"--no-header needs text or a sheet.*t\.parquet have names"):
        read_table(tmp_path / "t.parquet", "kind", layout=Layout(header=False))


@pytest.mark.filterwarnings("ignore:.* is read from line 2 on")
def test_lines_without_a_header_have_their_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("# note\n" + "".join(f"{i},u\n{i},v\n" for i in range(10)) + "x,u\n")
    with pytest.raises(ValueError, match=r"Column 'column1' of t\.csv holds 'x' in line 22"):
        read_table(tmp_path / "t.csv", "column2", layout=Layout(header=False))


# Pipes, folders and addresses --------------------------------------------------------------------------


def fed(path, data):
    """A thread that writes data into a pipe, once somebody reads it."""
    thread = threading.Thread(target=path.write_bytes, args=(data,), daemon=True)
    thread.start()
    return thread


pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs")


@pipes
@pytest.mark.parametrize("kind", [text_of, parquet, xlsx, lines], ids=["text", "Parquet", "xlsx", "lines"])
@pytest.mark.parametrize("opened", [read_table, scan])
def test_a_pipe_is_read_once(opened, kind, expected, tmp_path):
    path = tmp_path / "rows"
    os.mkfifo(path)
    thread = fed(path, kind(frame()))
    table = opened(path, "kind")
    thread.join()
    X = table.X if opened is read_table else together(table)[0]
    np.testing.assert_array_equal(X, expected.X)


@pipes
def test_labels_through_a_pipe(tmp_path):
    (tmp_path / "t.csv").write_text("sample,a\n7,1\n8,2\n")
    os.mkfifo(tmp_path / "labels")
    fed(tmp_path / "labels", b"sample,kind\n8,v\n7,u\n")
    layout = Layout(labels=tmp_path / "labels", on="sample")
    assert read_table(tmp_path / "t.csv", "kind", layout=layout).y.tolist() == ["u", "v"]


def write_folder(folder, others):
    folder.mkdir()
    for i in range(3):
        (folder / f"part{i}.csv").write_bytes(text_of(frame()[30 * i : 30 * i + 30]))
    for name, content in others.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def test_a_folder_with_other_files(expected, tmp_path):
    others = {
        "README": b"# rows",
        "README.txt": b"three parts",
        "notes.md": b"# notes",
        "codebook.xlsx": b"PK",
        "sub/meta.json": b"{}",
        "sub/picture.png": b"\x89PNG",
        "_SUCCESS": b"",
        ".part0.csv.crc": b"crc",
    }
    write_folder(tmp_path / "rows", others)
    said = r"Ignored in rows, not tables: 'README', 'README\.txt', 'codebook\.xlsx', 'notes\.md'"
    with pytest.warns(UserWarning, match=said) as caught:
        table = scan(tmp_path / "rows", "kind")
    assert len(caught) == 1
    assert "_SUCCESS" not in str(caught[0].message)
    np.testing.assert_array_equal(together(table)[0], expected.X)


def test_a_folder_of_files_without_suffixes(expected, tmp_path):
    (tmp_path / "rows").mkdir()
    for i in range(3):
        (tmp_path / "rows" / f"part-{i}").write_bytes(text_of(frame()[30 * i : 30 * i + 30]))
    np.testing.assert_array_equal(together(scan(tmp_path / "rows", "kind"))[0], expected.X)


def test_a_folder_without_a_table(tmp_path):
    (tmp_path / "rows").mkdir()
    for name in ("README.md", "a.png"):
        (tmp_path / "rows" / name).write_bytes(b"x")
    with pytest.raises(ValueError, match=r"rows' contains no table, only 'README\.md', 'a\.png'"):
        scan(tmp_path / "rows", "kind")


def test_addresses():
    for address in ("https://example.org/t.csv", "ftp://a/b", "s3://bucket/t.csv", "gs://bucket/t.csv"):
        from pathlib import Path

        assert address_of(Path(address)) == address == address_of(address)
        with pytest.raises(FileNotFoundError, match=rf"not from {address}\. Download it first: curl -LO"):
            read_table(Path(address), "kind")
    for path in ("t.csv", "C:/t.csv", "/a:b/c", "a=b:c/d"):
        assert address_of(path) is None
