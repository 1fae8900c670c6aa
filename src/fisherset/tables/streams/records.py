"""Tables in JSON as rows of cells: records, lines of records, or columns as pandas writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from fisherset._files import JSON
from fisherset._kinds import MAGIC_BYTES, compression_of
from fisherset.tables.memory import check_room
from fisherset.tables.streams.sources import TableFile
from fisherset.tables.text.decoding import decompressed

GROWTH = 12  # times the bytes of JSON that its values take in memory
CHUNK = 2**20
SHAPES = (
    'It must be an array of records, [{"a": 1, "b": 2}, ...], a record in each line, or columns, '
    '{"a": [1, ...], "b": [2, ...]}.'
)

Row = Sequence[Any]


def json_rows(file: TableFile, header: bool) -> Iterator[Row]:
    """Yield the rows of a table in JSON, names of columns first, unless it has none and no `header`."""
    if file.kind != JSON[0] or _has_lines(file):
        yield from _lines(file)
        return
    content = _parsed(file, _text(file))
    if isinstance(content, dict):
        yield from _columns(file, content)
    elif isinstance(content, list) and content and all(isinstance(row, dict) for row in content):
        yield from _records(file, content)
    elif isinstance(content, list) and content and all(isinstance(row, list) for row in content):
        yield from (_plain(file, row, i) for i, row in enumerate(content, 0 if header else 1))
    else:
        raise _no_table(file)


def _no_table(file: TableFile) -> ValueError:
    return ValueError(f"{file.name} holds no table. {SHAPES}")


def _opened(file: TableFile) -> Any:
    """Return a file of JSON open for reading its decompressed bytes, as far as memory holds its values."""
    with file.path.open("rb") as content:
        compression = compression_of(content.read(MAGIC_BYTES))
    return decompressed(file.path, compression)


def _text(file: TableFile) -> str:
    parts, size = [], 0
    with _opened(file) as stream:
        while part := stream.read(CHUNK):
            parts.append(part)
            size += len(part)
            check_room(file.name, GROWTH * size, "its values")
    return _decoded(file, b"".join(parts))


def _decoded(file: TableFile, data: bytes) -> str:
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        raise ValueError(f"{file.name} is not UTF-8 text, as JSON has to be: {error.reason}.") from None


def _parsed(file: TableFile, text: str, place: str = "") -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = place or f" in line {error.lineno}"
        raise ValueError(f"{file.name} is not valid JSON{where}: {error.msg}.") from None
    except (RecursionError, ValueError) as error:
        raise ValueError(f"{file.name} cannot be read as JSON{place}: {error}.") from None


def _has_lines(file: TableFile) -> bool:
    """Whether a file called .json has a record in each line: its first line is a whole one, others follow."""
    with _opened(file) as stream:
        start = stream.read(CHUNK).removeprefix(b"\xef\xbb\xbf").lstrip()
    first, _, rest = start.partition(b"\n")
    if not first.rstrip().endswith(b"}") or not rest.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except ValueError:
        return False


def _lines(file: TableFile) -> Iterator[Row]:
    """Yield the rows of a file with a record in each line, which is read twice: names come first."""
    names: dict[str, None] = {}
    for _, record in _line_records(file):
        names.update(dict.fromkeys(record))
    if not names:
        raise ValueError(f"{file.name} has no rows.")
    yield list(names)
    for line, record in _line_records(file):
        yield _plain(file, [record.get(name) for name in names], line, "line")


def _line_records(file: TableFile) -> Iterator[tuple[int, dict[str, Any]]]:
    rest, line = b"", 0
    with _opened(file) as stream:
        while True:
            part = stream.read(CHUNK)
            *whole, rest = (rest + part).split(b"\n")
            check_room(file.name, GROWTH * len(rest), "a line")
            for data in [*whole, *([] if part else [rest])]:
                line += 1
                text = _decoded(file, data.removeprefix(b"\xef\xbb\xbf")).strip()
                if not text:
                    continue
                record = _parsed(file, text, f" in line {line}")
                if not isinstance(record, dict):
                    raise ValueError(f'Line {line} of {file.name} is no record such as {{"a": 1, "b": 2}}.')
                yield line, record
            if not part:
                return


def _records(file: TableFile, records: list[dict[str, Any]]) -> Iterator[Row]:
    names = list(dict.fromkeys(name for record in records for name in record))
    yield names
    for i, record in enumerate(records, 1):
        yield _plain(file, [record.get(name) for name in names], i)


def _columns(file: TableFile, content: dict[str, Any]) -> Iterator[Row]:
    """Yield the rows of columns, of lists or of what `DataFrame.to_json` writes by default or split."""
    if str(content.get("format", "")).startswith("fisherset "):
        raise ValueError(f"{file.name} is no table: fisherset wrote it as a selection.")
    data = content.get("data")
    if isinstance(data, list) and data and all(isinstance(row, dict) for row in data):
        yield from _records(file, data)
    elif isinstance(data, list) and isinstance(content.get("columns"), list):
        yield from _indexed(file, content["columns"], content.get("index"), data)
    elif content and all(isinstance(column, dict) for column in content.values()):
        index = list(dict.fromkeys(key for column in content.values() for key in column))
        rows = ([column.get(key) for column in content.values()] for key in index)
        yield from _indexed(file, list(content), index, rows)
    elif content and all(isinstance(column, list) for column in content.values()):
        lengths = {len(column) for column in content.values()}
        if len(lengths) > 1:
            raise ValueError(
                f"{file.name} has columns of different lengths: {min(lengths)} and {max(lengths)}."
            )
        yield from _indexed(file, list(content), None, zip(*content.values(), strict=True))
    else:
        raise _no_table(file)


def _indexed(file: TableFile, names: list[Any], index: Any, rows: Any) -> Iterator[Row]:
    """Yield rows below the names of columns; names of rows come first, unless they are 0, 1, 2, ..."""
    named = isinstance(index, list) and any(str(key) != str(i) for i, key in enumerate(index))
    yield ["", *names] if named else names
    for i, row in enumerate(rows):
        if not isinstance(row, list | tuple) or len(row) != len(names):
            raise ValueError(f"Row {i + 1} of {file.name} has not as many values as there are columns.")
        yield _plain(file, [index[i], *row] if named else list(row), i + 1)


def _plain(file: TableFile, row: list[Any], place: int, what: str = "row") -> list[Any]:
    """Return the values of a row; records and arrays among them are refused."""
    for value in row:
        if isinstance(value, dict | list):
            raise ValueError(
                f"The values of {file.name} must be numbers, strings or null; {what} {place} holds "
                f"{json.dumps(value)[:40]}. Flatten it."
            )
    return row
