"""Kinds of files that hold tables, by the suffix or else by the first bytes; addresses on the web."""

from __future__ import annotations

import codecs
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

from fisherset._files import ARROW, JSON, TEXT, suffix_of

SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
SVMLIGHT = (".svmlight", ".libsvm", ".svm")
MATRICES = (".npz", ".h5ad", *SVMLIGHT)
COLUMNS = (*TEXT, ".parquet", *ARROW)  # tables that folders usually hold
SUFFIXES = (*COLUMNS, *JSON, *SHEETS, *MATRICES, ".zip")
ANY_TEXT = ".txt"  # a text of which the suffix says nothing
READABLE = (
    "text (.csv, .tsv, .txt, .dat, also compressed as .csv.gz), Excel and OpenDocument sheets (.xlsx, .xls, "
    ".ods), .json, .jsonl, Parquet, Feather or Arrow, .npz, .svmlight, .h5ad, or one of them in a .zip"
)
# Suffixes of files that are no tables, or of tables that are not read; others are told by their content.
FOREIGN = frozenset(
    re.findall(
        r"\S+",
        ".7z .arff .avro .bib .bmp .cfg .css .db .doc .docx .dta .fits .gif .htm .html .ini .ipynb .jpeg "
        ".jpg .js .loom .mat .md .mtx .npy .odt .orc .pdf .pickle .pkl .png .ppt .pptx .py .r .rar .rda "
        ".rdata .rds .rmd .rst .rtf .sas7bdat .sav .sh .sqlite .sqlite3 .svg .tar .tex .tgz .tif .tiff .toml "
        ".xml .xpt .yaml .yml",
    )
)
DOCUMENT = re.compile(r"(?:readme|licen[cs]e|copying|changelog|citation|notice|authors)\b", re.IGNORECASE)
ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/{1,2}(?=[^/])", re.IGNORECASE)

# First bytes of files that are no text, and their suffixes.
BINARY_FILES = {
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"FEA1": ".feather",
    b"\xff\xff\xff\xff": ".arrows",
    b"PK\x03\x04": ".zip",
    b"\x89HDF": ".h5ad",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ".xls",
}
# First bytes of compressed files, by pyarrow's names.
COMPRESSIONS = {
    "gzip": re.compile(rb"\x1f\x8b\x08"),
    "bz2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd"),
    "lz4": re.compile(rb"\x04\x22\x4d\x18"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
}
MAGIC_BYTES = 16  # enough for all of them
LOOK = 2**16  # bytes by which a kind is told
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # that of UTF-32 begins like one
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x19\x1b-\x1f]")  # bytes that no text has
JSON_START = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*["}]|\[\s*[\[{\]])')
SVMLIGHT_START = re.compile(
    rb"(?:#[^\n]*\n)*[-+]?\d[\d.,eE+-]*(?:[ \t]+qid:\d+)?(?:[ \t]+\d+:[-+\d.eE]+)+[ \t]*(?:#[^\n]*)?\r?\n"
)


def compression_of(start: bytes) -> str | None:
    """Return the compression of a file with these first bytes; None where it has none."""
    return next((name for name, magic in COMPRESSIONS.items() if magic.match(start)), None)


def kind_of(path: Path, name: str | None = None) -> str:
    """Return the suffix of the kind of a file, which may be called otherwise; an unsupported one is refused.

    A usual suffix is believed, but for sheets, as which programs write plain text.
    """
    name = path.name if name is None else name
    suffix = suffix_of(PurePath(name))
    if suffix in FOREIGN:
        raise unsupported(name)
    if suffix in SUFFIXES and suffix not in SHEETS:
        return suffix
    with path.open("rb") as file:
        start = file.read(LOOK)
    if suffix in SHEETS:
        return ANY_TEXT if _is_text(start) else suffix
    packed = compression_of(start)
    if packed is not None:
        start = _unpacked(path, packed)
    kind = next((kind for magic, kind in BINARY_FILES.items() if start.startswith(magic)), None)
    if kind is not None and packed is not None:
        raise ValueError(f"{name} is a compressed {kind} file; decompress it first.")
    if kind == ".zip":
        return _kind_of_archive(path)
    if kind is not None:
        return kind
    if not _is_text(start):
        raise unsupported(name)
    if JSON_START.match(start):
        return JSON[0]
    return SVMLIGHT[0] if SVMLIGHT_START.match(start) else ANY_TEXT


def unsupported(name: str) -> ValueError:
    """Return the error for a file that no table can be read from."""
    return ValueError(f"{name} has an unsupported file type; supported: {READABLE}.")


def _is_text(start: bytes) -> bool:
    """Whether these may be the first bytes of a text; every other byte of UTF-16 may be zero."""
    if start.startswith(MARKS) or not CONTROL.search(start):
        return True
    halves = start[:400:2], start[1:400:2]
    return sum(half.strip(b"\0") == b"" for half in halves) == 1


def _unpacked(path: Path, compression: str) -> bytes:
    """Return the first bytes of a compressed file, none where it is damaged, which reading will say."""
    import bz2
    import gzip
    import lzma

    openers: dict[str, Any] = {"gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open}
    try:
        if compression in openers:
            with openers[compression](path) as stream:
                return bytes(stream.read(LOOK))
        import pyarrow as pa

        with pa.OSFile(str(path)) as file, pa.CompressedInputStream(file, compression) as stream:
            return bytes(stream.read(LOOK))
    except (ImportError, OSError, EOFError, lzma.LZMAError, ValueError):
        return b""


def _kind_of_archive(path: Path) -> str:
    """Return the kind of a file that is a zip archive: of some kinds each file is one."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:  # which reading will say
        return ".zip"
    if "xl/workbook.bin" in names:
        return ".xlsb"
    if "xl/workbook.xml" in names:
        return ".xlsx"
    if {"mimetype", "content.xml"} <= set(names):
        return ".ods"
    return ".npz" if names and all(name.endswith(".npy") for name in names) else ".zip"


def check_installed(kind: str) -> None:
    """Refuse a sheet where the library that reads it is missing."""
    if kind not in SHEETS:
        return
    try:
        import python_calamine  # noqa: F401 - small, and written in Rust
    except ModuleNotFoundError as error:
        what = "OpenDocument" if kind == ".ods" else "Excel"
        raise ImportError(
            f"{what} files need the extra fisherset[excel]; or save the sheet as CSV. "
            'Install it with: pip install "fisherset[excel]"'
        ) from error


def tables_among(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names of files that are tables, and the names of others, such as a README.

    Next to text, Parquet or Arrow files all others are no part of the table; where there are none, any
    other is one whose suffix does not speak against it.
    """
    listed = list(names)
    possible = [name for name in listed if not _is_document(name)]
    usual = [name for name in possible if suffix_of(PurePath(name)) in COLUMNS]
    tables = usual or possible
    kept = set(tables)
    return tables, [name for name in listed if name not in kept]


def _is_document(name: str) -> bool:
    path = PurePath(name)
    return suffix_of(path) in FOREIGN or DOCUMENT.match(path.name) is not None


def address_of(path: PurePath | str) -> str | None:
    """Return the address on the web that a path is; None for a path."""
    found = None if Path(path).exists() else ADDRESS.match(str(path))
    return None if found is None else f"{found[1]}://{str(path)[found.end() :]}"  # Path leaves one / out
