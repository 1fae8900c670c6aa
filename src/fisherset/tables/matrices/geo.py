"""Series matrices of GEO: a row of numbers for each probe, after annotations of the samples."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fisherset._types import Floats
from fisherset.tables.memory import check_room
from fisherset.tables.text.decoding import MAGIC_BYTES, compression_of, decompressed

SERIES_MARKS = (b"!Series_", b"!Sample_", b"!series_matrix_table_begin")
TABLE_BEGIN, TABLE_END = b"!series_matrix_table_begin", b"!series_matrix_table_end"
SAMPLE_FIELD, ACCESSION, CHARACTERISTICS = "!Sample_", "geo_accession", "characteristics_ch"
NO_VALUE_CELLS = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None")  # of a missing value


class Series(NamedTuple):
    """Content of a series matrix: names, numbers and annotations of its samples."""

    samples: list[str]  # GSM...
    probes: list[str]
    X: Floats  # of shape (n_samples, n_probes), NaN where a value is missing
    labels: dict[str, NDArray[Any]]  # strings, None where one is missing


def is_series(path: Path) -> bool:
    """Whether a file, which may be compressed, begins as a series matrix does."""
    try:
        with _opened(path) as file:
            start: bytes = file.read(256)
    except (ImportError, OSError):  # raised again on reading
        return False
    return starts_series(start)


def starts_series(start: bytes) -> bool:
    """Whether these are the first bytes of a series matrix."""
    return start[:256].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(SERIES_MARKS)


def read_series(path: Path) -> Series:
    """Read a series matrix, samples as rows; one that is cut off is refused."""
    text = _text(path)
    begin, end = text.find(TABLE_BEGIN), text.rfind(TABLE_END)
    if begin < 0 or end < begin:
        lacking = (TABLE_BEGIN if begin < 0 else TABLE_END).decode()
        raise ValueError(f"{path.name} lacks the line {lacking}; is it damaged or cut off?")
    begin = text.find(b"\n", begin) + 1
    head = _decoded(text[:begin])
    samples, probes, X = _numbers(path, memoryview(text)[begin:end])
    notes = _notes(path, head)
    accessions = notes.pop(ACCESSION, [samples])[0]
    odd = [field for field, lines in notes.items() if any(len(line) != len(accessions) for line in lines)]
    if odd or sorted(accessions) != sorted(samples):
        what = f"the line {SAMPLE_FIELD}{odd[0]} has" if odd else "its table has"
        raise ValueError(f"{path.name} is damaged: {what} other samples than {SAMPLE_FIELD}{ACCESSION}.")
    place_of = {sample: place for place, sample in enumerate(accessions)}
    order = [place_of[sample] for sample in samples]  # of the samples in the table
    columns = _columns(notes, len(accessions)).items()
    labels = {
        name: np.array([values[place] for place in order], dtype=object)
        for name, values in columns
        if any(value is not None for value in values)
    }
    return Series(samples, probes, X, labels)


def _text(path: Path) -> bytes:
    """The whole file, decompressed, as long as memory holds its numbers."""
    parts, size = [], 0
    try:
        with _opened(path) as file:
            while part := file.read(2**24):
                parts.append(part)
                size += len(part)
                check_room(path.name, 3 * size, "its numbers")
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read; is it damaged or cut off? ({error})") from error
    return b"".join(parts)


def _opened(path: Path) -> Any:
    """The file opened for reading its decompressed bytes."""
    with path.open("rb") as file:
        start = file.read(MAGIC_BYTES)
    return decompressed(path, compression_of(start))


def _decoded(text: bytes) -> str:
    """Annotations in UTF-8, or else in latin-1, in which every byte is a character."""
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def _numbers(path: Path, table: memoryview) -> tuple[list[str], list[str], Floats]:
    """The samples, the probes, and a row of numbers for each sample."""
    try:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv
    except ModuleNotFoundError as error:
        raise ImportError(
            f"Reading {path.name} needs pyarrow; pip install 'fisherset[cli]' brings it."
        ) from error
    header = bytes(table[: bytes(table[: 2**24]).find(b"\n") + 1]).decode("utf-8", "replace")
    names = next(csv.reader([header.strip("\r\n")], delimiter="\t"), [])
    if len(names) < 2:
        raise ValueError(f"{path.name} has no samples in its table, whose first line is {header[:80]!r}.")
    kinds = {name: pa.float64() for name in names[1:]} | {names[0]: pa.string()}
    try:
        found = arrow_csv.read_csv(
            pa.BufferReader(pa.py_buffer(table)),
            arrow_csv.ReadOptions(block_size=max(2**20, 64 * len(header)), use_threads=False),
            arrow_csv.ParseOptions(delimiter="\t"),
            arrow_csv.ConvertOptions(
                column_types=kinds, null_values=list(NO_VALUE_CELLS), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        reason = str(error).splitlines()[0][:160]
        raise ValueError(f"{path.name} holds no table of numbers, or is damaged: {reason}") from error
    X = np.empty((found.num_columns - 1, found.num_rows))
    for row, column in zip(X, found.columns[1:], strict=True):
        row[:] = column.to_numpy(zero_copy_only=False)
    return names[1:], found.column(0).to_pylist(), X


def _notes(path: Path, head: str) -> dict[str, list[list[str]]]:
    """Annotations of the samples: the lines of each field."""
    notes: dict[str, list[list[str]]] = {}
    lines = [line for line in io.StringIO(head) if line.startswith(SAMPLE_FIELD)]
    try:
        for field, *cells in csv.reader(lines, delimiter="\t"):
            notes.setdefault(field.removeprefix(SAMPLE_FIELD), []).append(cells)
    except csv.Error as error:
        raise ValueError(f"{path.name} cannot be read; is it damaged? ({error})") from error
    return notes


def _columns(notes: dict[str, list[list[str]]], n: int) -> dict[str, list[str | None]]:
    """Annotations as columns; of characteristics, "tissue: tumour", each key has its own, in any line."""
    columns: dict[str, list[str | None]] = {}
    for field, lines in notes.items():
        for i in range(n):
            seen: Counter[str] = Counter()
            for cell in (line[i].strip() for line in lines):
                key, colon, value = cell.partition(":")
                apart = field.startswith(CHARACTERISTICS) and colon
                if field.startswith(CHARACTERISTICS) and cell in NO_VALUE_CELLS:
                    continue
                name, value = (key.strip(), value.strip()) if apart else (field, cell)
                seen[name] += 1
                name = name if seen[name] == 1 else f"{name}_{seen[name]}"
                if apart and name in notes:  # "title: x", where there is a title
                    name = f"{name} ({field})"
                columns.setdefault(name, [None] * n)[i] = None if value in NO_VALUE_CELLS else value
    return columns
