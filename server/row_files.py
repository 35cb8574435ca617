"""Files of rows (JSON lines, CSV) as rows that a graph can take."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from components.catalog.chunks import COLUMNS
from components.catalog.filters import COLUMNS as FILTER_COLUMNS
from components.converters.source_reader import check_source
from components.converters.text_decoder import NotTextError, decode_text
from components.errors import SourceError
from server.filter_text import typed

ROW_MARK = "#row="
MAX_MB = 200
JSON_SUFFIXES = (".jsonl", ".ndjson")
TABLE_SUFFIXES = (".csv", ".tsv")
DELIMITERS = ",;\t|"
SNIFFED_CHARACTERS = 20_000
RENAMED = "column_"


@dataclass(frozen=True)
class Columns:
    """Which columns hold what; one that is not named is `text`, `title` or `id`, the latter two if they are there.

    Without a column of ids, rows are numbered from 1.
    """

    text: str | None = None
    title: str | None = None
    id: str | None = None


@dataclass
class RowFile:
    """The rows of one file.

    :param rows: `{path, text, title, meta}`, see `RowConverter`; `path` is `FILE#row=ID`.
    :param failed: `{source, stage, error, remedy}` of rows that cannot be used.
    :param renamed: columns whose name is a field of the hub's own: kept as `column_NAME`.
    """

    path: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, str]] = field(default_factory=list)
    renamed: list[str] = field(default_factory=list)


def file_of_row(source: str) -> str | None:
    """Return the file in which a row's document stands; None for a document that is no row."""
    path, mark, _ = source.partition(ROW_MARK)
    return path if mark else None


def read_rows(path: Path, columns: Columns) -> RowFile:
    """Read all rows of a file.

    :param path: JSON lines (.jsonl, .ndjson) or CSV with a head line (.csv, .tsv).
    :param columns: what is where; everything else becomes metadata.
    :raises SourceError: if the file cannot be read, is of another kind, or lacks a column that was named.
    """
    suffix = path.suffix.lower()
    if suffix not in (*JSON_SUFFIXES, *TABLE_SUFFIXES):
        raise SourceError(
            f"{path.name!r} holds no rows that can be read", f"name a file {', '.join(JSON_SUFFIXES + TABLE_SUFFIXES)}"
        )
    text = _text_of(path)
    found = RowFile(str(path))
    records = list(_json_lines(text, found) if suffix in JSON_SUFFIXES else _table(text, suffix))
    names = {name: None for _, record in records for name in record}
    meant = _meant(columns, list(names), path.name)
    found.renamed = [name for name in names if name not in meant and name in (*COLUMNS, *FILTER_COLUMNS)]
    seen: dict[str, int] = {}
    for number, record in records:
        try:
            row_id = _id_of(record, meant[2], number, seen)
            found.rows.append(_row(f"{found.path}{ROW_MARK}{row_id}", record, meant, suffix in TABLE_SUFFIXES))
        except SourceError as error:
            _fail(found, error)
    return found


def _text_of(path: Path) -> str:
    check_source(path, MAX_MB)
    try:
        return decode_text(path.read_bytes())
    except NotTextError as error:
        raise SourceError(f"{path.name!r} is not a text file ({error})", "check what the file really is") from error
    except OSError as error:
        raise SourceError(f"{path.name!r} cannot be read ({error.strerror})", "check that you may read it") from error


def _json_lines(text: str, found: RowFile) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", type(error).__name__)
            _fail(found, SourceError(f"line {number} is not valid JSON ({reason})", "mend the line"))
            continue
        if isinstance(record, dict):
            yield number, {_unicode(key): value for key, value in record.items()}
        else:
            _fail(found, SourceError(f"line {number} is no JSON object", 'write it as {"text": …}'))


def _table(text: str, suffix: str) -> Iterator[tuple[int, dict[str, Any]]]:
    csv.field_size_limit(max(len(text), 131_072))
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t" if suffix == ".tsv" else _delimiter(text))
    for number, row in enumerate(rows, 1):
        # cells beyond the head line have no name (key None)
        yield number, {name.strip(): value or None for name, value in row.items() if name and name.strip()}


def _delimiter(text: str) -> str:
    try:
        return csv.Sniffer().sniff(text[:SNIFFED_CHARACTERS], delimiters=DELIMITERS).delimiter
    except csv.Error:
        return ","


def _meant(columns: Columns, names: list[str], file: str) -> tuple[str, str | None, str | None]:
    shown = f"it has {', '.join(names[:12]) or 'none'}"
    for option, name in (
        ("--text-column", columns.text),
        ("--title-column", columns.title),
        ("--id-column", columns.id),
    ):
        if name is not None and name not in names:
            raise SourceError(f"{file!r} has no column {name!r} ({shown})", f"name another one by {option}")
    text = columns.text or "text"
    if text not in names:
        raise SourceError(f"{file!r} has no column 'text' ({shown})", "name the one of the text by --text-column")
    title, row_id = columns.title or "title", columns.id or "id"
    return text, title if title in names else None, row_id if row_id in names else None


def _id_of(record: dict[str, Any], column: str | None, number: int, seen: dict[str, int]) -> str:
    if column is None:
        return str(number)
    row_id = " ".join(_plain(record.get(column)).split())
    if not row_id:
        raise SourceError(f"row {number} has nothing in column {column!r}", "give it an id")
    if row_id in seen:
        raise SourceError(f"row {number} has the id {row_id!r}, as row {seen[row_id]} has", "give each row its own id")
    seen[row_id] = number
    return row_id


def _row(path: str, record: dict[str, Any], meant: tuple[str, str | None, str | None], untyped: bool) -> dict[str, Any]:
    text, title, _ = meant
    fields = {name: _field(value, untyped) for name, value in record.items() if name not in meant}
    meta = {
        RENAMED + name if name in (*COLUMNS, *FILTER_COLUMNS) else name: value
        for name, value in fields.items()
        if value not in (None, "", [])
    }
    return {
        "path": path,
        "text": _plain(record.get(text)),
        "title": _plain(record.get(title)) if title else None,
        "meta": meta,
    }


def _field(value: Any, untyped: bool) -> Any:
    """Return a value as metadata: scalars and lists of scalars as they are, anything else as JSON.

    :param untyped: the value comes from a file that holds text alone: take what looks like a number for one.
    """
    if isinstance(value, str):
        return typed(value.strip()) if untyped else _unicode(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list) and all(isinstance(one, str | bool | int | float) for one in value):
        return [_unicode(one) if isinstance(one, str) else one for one in value]
    return _unicode(json.dumps(value, ensure_ascii=False))


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return _unicode(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _unicode(text: str) -> str:
    """Return the text without halves of characters, which JSON can hold and nothing can store."""
    return text.encode("utf-8", "replace").decode()


def _fail(found: RowFile, error: SourceError) -> None:
    found.failed.append({"source": found.path, "stage": "check", "error": error.message, "remedy": error.remedy})
