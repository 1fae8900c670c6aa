"""Files of text as people have them: each is the table it would be if it were written plainly, or refused.

What is refused is refused in one sentence, which shows the value and the line where there are any.
"""

import bz2
import gzip
import lzma
import re
import warnings
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fisherset.tables import Layout, memory, read_table, scan
from fisherset.tables.columns.table import opened_file, read_content
from fisherset.tables.read import size_in_memory
from support.scan_files import together

NAMES = ["size", "count", "colour", "kind"]
SIZES = [f"{-1.5 + 0.25 * i:.2f}" for i in range(14)]
COUNTS = [str(3 * i % 7) for i in range(14)]
COLOURS = ["red", "green", "blue"] * 4 + ["red", "green"]
KINDS = ["low", "high"] * 7
COLUMNS = [SIZES, COUNTS, COLOURS, KINDS]


def lines(columns=COLUMNS, names=NAMES, sep=",", end="\n", cell=str, head=""):
    rows = [names, *zip(*columns, strict=True)]
    return head + "".join(sep.join(map(cell, row)) + end for row in rows)


def commas(columns=COLUMNS):
    return [[cell.replace(".", ",") for cell in column] for column in columns]


def changed(column, at, value):
    """The columns with another value in a row, counted from nought: line at + 2."""
    columns = [list(cells) for cells in COLUMNS]
    columns[column][at] = value
    return columns


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


def packed(data, codec):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def stream_of(text):
    table = pa.csv.read_csv(pa.BufferReader(text.encode()))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table, max_chunksize=5)
    return sink.getvalue().to_pybytes()


PLAIN = lines()
GAPS = lines(changed(0, 3, ""))
ACCENTS = ["größe", "count", "colour", "kind"]
GREEK = ["größe", "preis €", "colour", "kind"]
RUSSIAN = ["размер", "count", "colour", "kind"]
NOTES = [[f"{cell}, and\nmore" for cell in COLOURS] if column is COLOURS else column for column in COLUMNS]
NAMED_ROWS = [[f"r{i}" for i in range(14)], *COLUMNS]
LEFT_OUT = "column without a name"

# name of the file, what is in it, what is said of it, the same written plainly, what is remarked
READ = {
    "plain": ("t.csv", PLAIN, {}, PLAIN, None),
    "ends of lines of Windows": ("t.csv", lines(end="\r\n"), {}, PLAIN, None),
    "ends of lines of old": ("t.csv", lines(end="\r"), {}, PLAIN, None),
    "no end of the last line": ("t.csv", PLAIN.rstrip("\n"), {}, PLAIN, None),
    "empty lines": ("t.csv", "\n\n" + PLAIN.replace("\n", "\n\n"), {}, PLAIN, None),
    "a mark of byte order": ("t.csv", "\ufeff" + PLAIN, {}, PLAIN, None),
    "capitals in the suffix": ("T.CSV", PLAIN, {}, PLAIN, None),
    "all quoted": ("t.csv", lines(cell=quoted), {}, PLAIN, None),
    "ends of lines in cells": ("t.csv", lines(NOTES, cell=quoted), {}, lines(NOTES, cell=quoted), None),
    # separators
    "semicolons": ("t.csv", lines(sep=";"), {}, PLAIN, "t.csv is read with ';' between cells."),
    "semicolons and decimal commas": (
        "t.csv",
        lines(commas(), sep=";"),
        {},
        PLAIN,
        "t.csv is read with ';' between cells and ',' before decimals.",
    ),
    "the same, all quoted": ("t.csv", lines(commas(), sep=";", cell=quoted), {}, PLAIN, "';' between"),
    "semicolons, commas in texts": (
        "t.csv",
        lines([SIZES, COUNTS, [f"{c}, dark" for c in COLOURS], KINDS], sep=";"),
        {},
        lines([SIZES, COUNTS, [f"{c}, dark" for c in COLOURS], KINDS], cell=quoted),
        "';' between",
    ),
    "semicolons in cells of a usual file": (
        "t.csv",
        lines([SIZES, COUNTS, [f"{c};{c}" for c in COLOURS], KINDS]),
        {},
        lines([SIZES, COUNTS, [f"{c};{c}" for c in COLOURS], KINDS], cell=quoted),
        None,
    ),
    "tabs called csv": ("t.csv", lines(sep="\t"), {}, PLAIN, "t.csv is read with a tab between cells."),
    "commas called tsv": ("t.tsv", PLAIN, {}, PLAIN, "t.tsv is read with ',' between cells."),
    "bars called csv": ("t.csv", lines(sep="|"), {}, PLAIN, "with '|' between cells"),
    "tsv": ("t.tsv", lines(sep="\t"), {}, PLAIN, None),
    "tab": ("t.tab", lines(sep="\t"), {}, PLAIN, None),
    "tsv with decimal commas": (
        "t.tsv",
        lines(commas(), sep="\t"),
        {},
        PLAIN,
        "t.tsv is read with ',' before decimals.",
    ),
    "txt with tabs": ("t.txt", lines(sep="\t"), {}, PLAIN, None),
    "txt with commas": ("t.txt", PLAIN, {}, PLAIN, None),
    "txt with bars": ("t.txt", lines(sep="|"), {}, PLAIN, "with '|' between cells"),
    "txt with semicolons and decimal commas": ("t.txt", lines(commas(), sep=";"), {}, PLAIN, "';' between"),
    "txt with a space": ("t.txt", lines(sep=" "), {}, PLAIN, "t.txt is read with a space between cells."),
    "a separator said": ("t.csv", lines(sep="~"), {"separator": "~"}, PLAIN, None),
    "a tab said as a shell lets one": ("t.csv", lines(sep="\t"), {"separator": "\\t"}, PLAIN, None),
    "decimal commas said, in quotes": (
        "t.csv",
        lines(commas(), cell=quoted),
        {"decimal": ","},
        PLAIN,
        None,
    ),
    "decimals said": ("t.tsv", lines(commas(), sep="\t"), {"decimal": ","}, PLAIN, None),
    # lines before the table
    "sep= of Excel": (
        "t.csv",
        lines(sep=";", head="sep=;\r\n"),
        {},
        PLAIN,
        "';' between cells and from line 2",
    ),
    "sep= of Excel, usual": ("t.csv", lines(head="sep=,\n"), {}, PLAIN, "t.csv is read from line 2 on."),
    "sep= of Excel, a tab": ("t.csv", lines(sep="\t", head="sep=\t\n"), {}, PLAIN, "a tab between"),
    "comments": (
        "t.csv",
        lines(head="# made\n# by x, in 2020\n\n"),
        {},
        PLAIN,
        "t.csv is read from line 4 on.",
    ),
    "comments like a header": ("t.csv", lines(head="# a,b,c,d\n"), {}, PLAIN, "from line 2 on"),
    "a header like a comment": (
        "t.csv",
        lines(names=["#size", *NAMES[1:]]),
        {},
        lines(names=["#size", *NAMES[1:]], cell=quoted),
        None,
    ),
    "a header like a comment after comments": (
        "t.tsv",
        lines(names=["#size", *NAMES[1:]], sep="\t", head="## a\n## b\n"),
        {},
        lines(names=["#size", *NAMES[1:]], cell=quoted),
        "from line 3 on",
    ),
    # encodings
    "UTF-16 of little end": (
        "t.csv",
        b"\xff\xfe" + lines(names=RUSSIAN).encode("utf-16-le"),
        {},
        lines(names=RUSSIAN),
        None,
    ),
    "UTF-16 of big end": (
        "t.csv",
        b"\xfe\xff" + lines(names=ACCENTS).encode("utf-16-be"),
        {},
        lines(names=ACCENTS),
        None,
    ),
    "Unicode text of Excel": (
        "t.txt",
        lines(names=GREEK, sep="\t", end="\r\n").encode("utf-16"),
        {},
        lines(names=GREEK),
        None,
    ),
    "UTF-16 with comments": ("t.csv", lines(head="# a\n").encode("utf-16"), {}, PLAIN, "from line 2 on"),
    "UTF-16 said": (
        "t.csv",
        lines(names=ACCENTS).encode("utf-16-le"),
        {"encoding": "utf-16-le"},
        lines(names=ACCENTS),
        None,
    ),
    "latin-1": (
        "t.csv",
        lines(names=ACCENTS).encode("latin-1"),
        {},
        lines(names=ACCENTS),
        "t.csv is read as cp1252 text, not being UTF-8.",
    ),
    "cp1252": ("t.csv", lines(names=GREEK).encode("cp1252"), {}, lines(names=GREEK), "as cp1252 text"),
    "latin-1 of a European spreadsheet": (
        "t.csv",
        lines(commas(), names=ACCENTS, sep=";", end="\r\n").encode("latin-1"),
        {},
        lines(names=ACCENTS),
        "t.csv is read with ';' between cells and ',' before decimals and as cp1252 text, not being UTF-8.",
    ),
    "latin-1 said": (
        "t.csv",
        lines(names=ACCENTS).encode("latin-1"),
        {"encoding": "latin-1"},
        lines(names=ACCENTS),
        None,
    ),
    "cp1251 said": (
        "t.csv",
        lines(names=RUSSIAN).encode("cp1251"),
        {"encoding": "cp1251"},
        lines(names=RUSSIAN),
        None,
    ),
    "UTF-8 said": (
        "t.csv",
        "\ufeff" + lines(names=ACCENTS),
        {"encoding": "UTF8"},
        lines(names=ACCENTS),
        None,
    ),
    # packed
    "gzip": ("t.csv.gz", gzip.compress(PLAIN.encode()), {}, PLAIN, None),
    "gzip in two parts": (
        "t.csv.gz",
        gzip.compress(PLAIN[:99].encode()) + gzip.compress(PLAIN[99:].encode()),
        {},
        PLAIN,
        None,
    ),
    "bzip2": ("t.tsv.bz2", bz2.compress(lines(sep="\t").encode()), {}, PLAIN, None),
    "Zstandard": ("t.txt.zst", packed(lines(sep="\t").encode(), "zstd"), {}, PLAIN, None),
    "LZ4": ("t.csv.lz4", packed(PLAIN.encode(), "lz4"), {}, PLAIN, None),
    "xz": ("t.csv.xz", lzma.compress(PLAIN.encode()), {}, PLAIN, None),
    "gzip called csv": ("t.csv", gzip.compress(PLAIN.encode()), {}, PLAIN, None),
    "text called gz": ("t.csv.gz", PLAIN, {}, PLAIN, None),
    "gzip of semicolons after comments": (
        "t.csv.gz",
        gzip.compress(lines(commas(), sep=";", head="# a\n").encode()),
        {},
        PLAIN,
        "';' between cells and ',' before decimals and from line 2 on",
    ),
    "gzip of UTF-16": ("t.csv.gz", gzip.compress(PLAIN.encode("utf-16")), {}, PLAIN, None),
    "xz of latin-1": (
        "t.csv.xz",
        lzma.compress(lines(names=ACCENTS).encode("latin-1")),
        {},
        lines(names=ACCENTS),
        "cp1252",
    ),
    # missing values
    "a question mark": ("t.csv", lines(changed(0, 3, "?")), {"missing": ("?",)}, GAPS, None),
    "a question mark among spaces": ("t.csv", lines(changed(0, 3, "  ? ")), {"missing": (" ?",)}, GAPS, None),
    "a number for a gap": ("t.csv", lines(changed(0, 3, "-999.0")), {"missing": ("-999",)}, GAPS, None),
    "some for gaps": (
        "t.csv",
        lines([changed(0, 3, "n.d.")[0], changed(1, 5, "*")[1], COLOURS, KINDS]),
        {"missing": ("*", "n.d.")},
        lines([changed(0, 3, "")[0], changed(1, 5, "")[1], COLOURS, KINDS]),
        None,
    ),
    "a question mark for a text": (
        "t.csv",
        lines(changed(2, 3, "?")),
        {"missing": ("?",)},
        lines(changed(2, 3, "")),
        None,
    ),
    "the usual ones": ("t.csv", lines(changed(0, 3, "NA")), {}, GAPS, None),
    "a dash, with semicolons and decimal commas": (
        "t.csv",
        lines(commas(changed(0, 3, "-")), sep=";"),
        {"missing": ("-",)},
        GAPS,
        "';' between cells and ',' before decimals",
    ),
    # headers
    "a last separator": ("t.csv", lines(end=",\n"), {}, PLAIN, None),
    "last separators": ("t.csv", lines(sep=";", end=";;;\n"), {}, PLAIN, "';' between cells"),
    "a last separator in rows only": ("t.csv", lines(end=",\n").replace(",\n", "\n", 1), {}, PLAIN, None),
    "row numbers of pandas": ("t.csv", lines(NAMED_ROWS, ["", *NAMES]), {}, PLAIN, LEFT_OUT),
    "row names of R": ("t.tsv", lines(NAMED_ROWS, ["", *NAMES], "\t")[1:], {}, PLAIN, LEFT_OUT),
    "row names of R, spaces and quotes": (
        "t.txt",
        lines(NAMED_ROWS, ["", *NAMES], " ", cell=quoted)[3:],
        {},
        PLAIN,
        "with a space between cells",
    ),
    "whole numbers for names": (
        "t.csv",
        lines(names=["0", "1", "2", "kind"]),
        {},
        lines(names=["0", "1", "2", "kind"], cell=quoted),
        None,
    ),
    "wavelengths for names": (
        "t.csv",
        lines(names=["400.5", "401.0", "x", "kind"]),
        {},
        lines(names=["400.5", "401.0", "x", "kind"], cell=quoted),
        None,
    ),
    # Arrow's streams
    "a stream": ("t.arrows", stream_of(PLAIN), {}, PLAIN, None),
    "a stream called arrow": ("t.arrow", stream_of(PLAIN), {}, PLAIN, None),
    "a stream called feather": ("t.feather", stream_of(PLAIN), {}, PLAIN, None),
}


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def opened(read):
    """The table that is read, and its remarks, which are no errors here."""
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        found = read()
    return found, [str(remark.message) for remark in remarks]


@pytest.mark.parametrize("case", READ)
def test_read_as_if_written_plainly(case, tmp_path):
    name, content, said, plain, remark = READ[case]
    path = written(tmp_path / name, content)
    options = {"impute": "median", "layout": Layout(**said)}
    expected = read_table(written(tmp_path / "plain.csv", plain), "kind", impute="median")
    found, remarks = opened(lambda: read_table(path, "kind", **options))
    assert found.features == expected.features
    np.testing.assert_array_equal(found.X, expected.X)
    np.testing.assert_array_equal(found.y, expected.y)
    assert not remarks if remark is None else any(remark in said for said in remarks), remarks
    by_batches, remarks = opened(lambda: scan(path, "kind", batch_rows=5, **options))
    X, y, _ = together(by_batches)
    assert by_batches.features == expected.features
    np.testing.assert_array_equal(X, expected.X)
    np.testing.assert_array_equal(y, expected.y)
    assert not remarks if remark is None else any(remark in said for said in remarks), remarks


NUMBERS = [f"{i}.5" for i in range(14)]
REFUSED = {
    "comments alone": ("t.csv", "# a\n# b\n", {}, "t.csv has no rows"),
    "empty lines alone": ("t.csv", "\n\n", {}, "t.csv has no rows"),
    "a short row": ("t.csv", "a,b,kind\n1,2,x\n3,4\n", {}, "Line 3 of t.csv has 2 cells, the header 3. "),
    "a long row": ("t.csv", PLAIN + "1,2,3,4,5\n", {}, "Line 16 of t.csv has 5 cells, the header 4. "),
    "a short row after cells of two lines": (
        "t.csv",
        lines(NOTES, cell=quoted) + "1,2\n",
        {},
        "Line 30 of t.csv has 2 cells, the header 4. ",
    ),
    "decimal commas without quotes": (
        "t.csv",
        "a,kind\n1,5,x\n2,5,y\n3,5,x\n",
        {},
        "Line 2 of t.csv has 3 cells, the header 2. ",
    ),
    "a short row after comments": (
        "t.csv",
        "# a\n" + PLAIN + "1\n",
        {},
        "Line 17 of t.csv has 1 cell, the header 4. ",
    ),
    "a short row of semicolons": (
        "t.csv",
        lines(commas(), sep=";") + "1,5;3\n",
        {},
        "Line 16 of t.csv has 2 cells, the header 4. .* cell with ';'",
    ),
    "a short row in gzip": (
        "t.csv.gz",
        gzip.compress((PLAIN + "1\n").encode()),
        {},
        "Line 16 of t.csv.gz has 1 cell",
    ),
    "a question mark": (
        "t.csv",
        lines(changed(0, 3, "?")),
        {},
        "Column 'size' of t.csv holds '\\?' in line 5, a number everywhere else: mark it as "
        "missing with (--na '\\?', or use --drop|Layout\\(missing=\\('\\?',\\)\\), or leave it out)",
    ),
    "question marks": (
        "t.csv",
        lines([["?", *SIZES[1:]], [*COUNTS[:9], *"?????"], COLOURS, KINDS]),
        {},
        "Columns 'size', 'count' of t.csv hold '\\?', first in line 2, numbers everywhere else",
    ),
    "different texts": (
        "t.csv",
        lines([["x", "y", *SIZES[2:]], *COLUMNS[1:]]),
        {},
        "'size' of t.csv holds 'x' and other strings, first in line 2",
    ),
    "few numbers, but many of them": (
        "t.csv",
        lines([[str(i) if i % 3 == 0 else "?" for i in range(42)], KINDS * 3], ["age", "kind"]),
        {},
        "'age' of t.csv holds '\\?', first in line 3, a number everywhere else",
    ),
    "a value after cells of two lines": (
        "t.csv",
        lines([changed(0, 3, "?")[0], COUNTS, NOTES[2], KINDS], cell=quoted),
        {},
        "'size' of t.csv holds '\\?' in line 8",
    ),
    "a value with braces": ("t.csv", lines(changed(0, 3, "{0}")), {}, r"holds '\{0\}' in line 5"),
    "a value of two": ("t.csv", lines(changed(0, 3, "?")), {"missing": ("*",)}, "holds '\\?' in line 5"),
    "a value in gzip of semicolons": (
        "t.csv.gz",
        gzip.compress(lines(commas(changed(0, 3, "?")), sep=";", head="# a\n").encode()),
        {},
        "'size' of t.csv.gz holds '\\?' in line 6",
    ),
    "a value in a stream": (
        "t.arrows",
        stream_of(lines(changed(0, 3, "?"))),
        {},
        "'size' of t.arrows holds '\\?' in row 4, .* convert it",
    ),
    "points and commas": (
        "t.tsv",
        lines([SIZES, commas()[0], COLOURS, KINDS], sep="\t"),
        {},
        "t.tsv holds '-1,50' in line 2 and '-1.50' in line 2; add --decimal",
    ),
    "thousands": (
        "t.tsv",
        lines([[f"{i},000" for i in range(1, 15)], KINDS], ["x", "kind"], "\t"),
        {},
        "t.tsv holds '1,000' in line 2; add --decimal",
    ),
    "two separators": (
        "t.csv",
        "a,1;b,2\n1,5;2,5\n3,5;1,5\n",
        {},
        "separator of t.csv may be ',' or ';'. Add --sep",
    ),
    "runs of spaces": (
        "t.txt",
        "size   kind\n 1.5   low\n11.5  high\n",
        {},
        "separator of t.txt is unclear: no ',', ';', '\\|' or tab.* --sep",
    ),
    "numbers twice for names": (
        "t.csv",
        "1.5,1.5,a\n2,3,b\n",
        {},
        "t.csv has no header, it seems: line 1 holds the number 1.5 twice",
    ),
    "a row for names": (
        "t.csv",
        PLAIN.partition("\n")[2],
        {},
        "t.csv has no header, it seems: line 1 holds 'red'|has no column",
    ),
    "a row between others for names": (
        "t.csv",
        "5.1,3.5,low\n4.9,3,low\n6.1,3.7,high\n",
        {},
        "no header, it seems: line 1 holds 'low' and numbers as",
    ),
    "names twice": ("t.csv", "a,a,kind\n1,2,x\n", {}, "columns of the same name: 'a'"),
    "an encoding nobody knows": (
        "t.csv",
        PLAIN,
        {"encoding": "klingon"},
        "Unknown encoding 'klingon'",
    ),
    "an encoding of no text": ("t.csv", PLAIN, {"encoding": "zlib"}, "Unknown encoding 'zlib'"),
    "another encoding than is said": (
        "t.csv",
        lines(names=ACCENTS),
        {"encoding": "ascii"},
        "t.csv is not ascii text: line 1 holds the byte 0xc3",
    ),
    "no UTF-8 as said": (
        "t.csv",
        PLAIN.encode() + b"1,2,\xe9,low\n",
        {"encoding": "utf-8"},
        "t.csv is not UTF-8 text: line 16 holds the byte 0xe9.*--encoding",
    ),
    "UTF-16 without a mark": (
        "t.csv",
        PLAIN.encode("utf-16-be"),
        {},
        "t.csv looks like UTF-16 text .* --encoding utf-16-be",
    ),
    "no text of the West": ("t.csv", PLAIN.encode() + b"1,2,\x81,low\n", {}, "line 16 holds the byte 0x81"),
    "a picture": ("t.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\xfe", {}, "t.csv is not a text file"),
    "a workbook": ("t.csv", b"PK\x03\x04\x14\x00\x06\x00", {}, "t.csv is not a text file, .* saved as CSV"),
    "cut gzip": (
        "t.csv.gz",
        gzip.compress(PLAIN.encode())[:-12],
        {},
        "t.csv.gz cannot be read; is it damaged or truncated",
    ),
    "cut xz": (
        "t.csv.xz",
        lzma.compress(PLAIN.encode())[:-12],
        {},
        "t.csv.xz cannot be read; is it damaged or truncated",
    ),
    "cut Zstandard": (
        "t.csv.zst",
        packed(PLAIN.encode(), "zstd")[:-12],
        {},
        "t.csv.zst cannot be read; is it damaged",
    ),
    "damaged bzip2": (
        "t.csv.bz2",
        bz2.compress(PLAIN.encode()).replace(b"1AY", b"1AX"),
        {},
        "t.csv.bz2 (cannot be read|is not a text file)",
    ),
    "gzip of nothing": ("t.csv.gz", gzip.compress(b""), {}, "t.csv.gz is empty"),
    "gzip of Parquet": ("t.csv.gz", gzip.compress(b"PAR1xxxx"), {}, "t.csv.gz is not a text file"),
    "an end inside a quotation": ("t.csv", 'a;kind\n1;x\n2;"y', {}, "t.csv ends inside a quoted cell"),
    "a separator of two signs": ("t.csv", PLAIN, {"separator": "::"}, "must be one character, .* got '::'"),
    "a letter for a separator": ("t.csv", PLAIN, {"separator": "x"}, "must be one character, .* got 'x'"),
    "another sign before decimals": ("t.csv", PLAIN, {"decimal": "_"}, "must be '.' or ','; got '_'"),
    "a separator that is not there": ("t.csv", PLAIN, {"separator": ";"}, "has no column 'kind'"),
    "a cut stream": (
        "t.arrows",
        stream_of(PLAIN)[:-100],
        {},
        "t.arrows cannot be read; is it damaged or truncated",
    ),
}


@pytest.mark.parametrize("by_batches", [False, True], ids=["whole", "by batches"])
@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_value_and_line(case, by_batches, tmp_path):
    name, content, said, message = REFUSED[case]
    path = written(tmp_path / name, content)

    def read():
        if by_batches:
            return together(scan(path, "kind", layout=Layout(**said)))
        return read_table(path, "kind", layout=Layout(**said))

    with pytest.raises(ValueError, match=message) as refused:
        opened(read)
    assert re.fullmatch(r"[^\n]*[.?)]", str(refused.value))
    assert str(tmp_path) not in str(refused.value)


def test_a_byte_far_down_is_found(tmp_path):
    path = written(tmp_path / "t.csv", b"x,kind\n" + b"1.5,low\n" * 200_000 + b"2.5,h\xf6h\n")
    with pytest.raises(ValueError, match=r"t\.csv is not UTF-8 text: line 200002 holds the byte 0xf6\."):
        read_content(path)
    assert read_content(path, layout=Layout(encoding="latin-1")).values("kind")[-1] == "höh"


@pytest.mark.parametrize("suffix", ["csv.gz", "csv.xz", "csv.bz2"])
def test_what_a_packed_text_takes_is_known_about(suffix, tmp_path):
    """So that it is read by batches where it would not find room."""
    rng = np.random.default_rng(0)
    text = "a,b\n" + "".join(f"{x:.3f},{y:.3f}\n" for x, y in rng.normal(size=(200_000, 2)))
    pack = {"gz": gzip.compress, "xz": partial(lzma.compress, preset=0), "z2": bz2.compress}[suffix[-2:]]
    sizes = [
        size_in_memory(*opened_file(written(tmp_path / name, content), Layout()))
        for name, content in (("t.csv", text), (f"t.{suffix}", pack(text.encode())))
    ]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.2)


def test_files_written_alike_are_remarked_on_once(tmp_path):
    paths = [written(tmp_path / f"{j}.csv", lines(sep=";")) for j in range(3)]
    _, remarks = opened(lambda: scan(paths, "kind"))
    assert remarks == ["0.csv is read with ';' between cells."]


def test_the_target_of_a_regression_says_where_it_is_no_number(tmp_path):
    path = written(tmp_path / "t.csv", lines(changed(0, 3, "?")))
    with pytest.raises(ValueError, match=r"'size' of t\.csv holds '\?' in line 5"):
        read_table(path, "size", task="regression")
    found = scan(path, "kind", layout=Layout(missing=("?",)), impute="median")
    assert len(together(found)[0]) == 14


@pytest.mark.parametrize("suffix", ["csv.gz", "csv", "csv.xz", "csv.zst"])
def test_a_text_that_unpacks_to_more_than_there_is_room_for(suffix, monkeypatch, tmp_path):
    text = b"a,b\n" + b"1,2\n" * 10**6
    data = {"xz": lzma.compress(text, preset=0), "zst": packed(text, "zstd")}.get(suffix[-3:].strip("."))
    path = written(tmp_path / f"t.{suffix}", data or gzip.compress(text, 1))
    assert read_content(path).n_rows == 10**6
    monkeypatch.setattr(memory, "free_memory", lambda: 1.5e7)
    with pytest.raises(ValueError, match=r"t\..* needs .* MB of memory for more than \d+ cells; 15.0 MB"):
        read_content(path)
    assert len(together(scan(path, "b"))[1]) == 10**6


def refused(read):
    """The sentence, or None."""
    try:
        opened(read)
    except ValueError as error:
        return str(error)
    return None


CELLS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.integers(-(10**6), 10**6).map(str),
)
TEXTS = st.text(st.sampled_from("abcxyzäéß;,|\t \"'\n#.-"), min_size=1, max_size=6)


@st.composite
def tables(draw):
    """Names and columns; the first and the last are of texts without separators, as they mostly are."""
    n, d = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    names = [f"n{j}" for j in range(d + 2)]
    kinds = st.sampled_from(["red", "blue", "grün"])
    first = draw(st.lists(kinds, min_size=n, max_size=n))
    numbers = [draw(st.lists(CELLS, min_size=n, max_size=n)) for _ in range(d)]
    last = draw(st.lists(TEXTS.map(lambda text: f"t{text}"), min_size=n, max_size=n))
    return names, [first, *numbers, last]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=tables(),
    sep=st.sampled_from(",;\t|"),
    decimal=st.sampled_from(".,"),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    suffix=st.sampled_from(["csv", "tsv", "txt", "csv.gz", "csv.xz"]),
    head=st.sampled_from(["", "# a\n", "#\n# b, c\n"]),
    said=st.booleans(),
)
def test_any_dialect_is_read_back(table, sep, decimal, encoding, end, suffix, head, said, tmp_path):
    """Said or recognised; a text of which more than one dialect would do may be refused, with the option."""
    names, columns = table
    if decimal != ".":
        columns = [columns[0], *commas(columns[1:-1]), columns[-1]]
    text = lines(
        columns, names, sep, end, lambda cell: quoted(cell) if set(cell) & set(',;|\t"\r\n ') else cell
    )
    data = (head.replace("\n", end) + text).encode(encoding)
    pack = {"gz": gzip.compress, "xz": lambda data: lzma.compress(data, preset=0)}
    path = written(tmp_path / f"t.{suffix}", pack.get(suffix[-2:], bytes)(data))
    layout = (
        Layout(separator=sep, decimal=decimal, encoding=encoding.replace("-sig", "")) if said else Layout()
    )
    read = partial(read_content, path, layout=layout, strings=[names[-1]])
    if not said and (refusal := refused(read)):
        assert re.search("--(sep|decimal|encoding)", refusal)
        return
    frame, _ = opened(read)
    if sep == "," and decimal == "," and not said:
        return  # which is for those who make something of the columns to refuse
    assert frame.names == names
    assert frame.values(names[0]) == columns[0]
    for name, column in zip(names[1:-1], columns[1:-1], strict=True):
        assert frame.values(name) == [float(cell.replace(",", ".")) for cell in column]
    assert frame.values(names[-1]) == columns[-1]
