"""Files of rows (JSON lines, CSV) as rows that a graph can take."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from khub.components.catalog.chunks import COLUMNS
from khub.components.catalog.filters import COLUMNS as FILTER_COLUMNS
from khub.components.converters.separator_line import without_separator_line
from khub.components.converters.source_reader import check_source
from khub.components.converters.text_decoder import NotTextError, decode_text
from khub.components.errors import SourceDamagedError, SourceError
from khub.components.failed_file import FailedFile, failed_file
from khub.server.library.filter_text import typed
from khub.server.library.row_sources import ROW_MARK

MAX_MB = 200
JSON_SUFFIXES = (".jsonl", ".ndjson")
TABLE_SUFFIXES = (".csv", ".tsv")
RENAMED = "column_"
OWN = {*COLUMNS, *FILTER_COLUMNS}


@dataclass(frozen=True)
class Columns:
    """Which columns hold what; one that is not named is `text`, `title` or `id`, the latter two if they are there.

    Without a column of ids, rows are numbered from 1.
    """

    text: str | None = None
    title: str | None = None
    id: str | None = None

    def of(self, names: list[str], file: str) -> dict[str, str]:
        """Return the column of the text, and those of title and id where there are any."""
        found = {}
        for what, named in (("text", self.text), ("title", self.title), ("id", self.id)):
            if (named or what) in names:
                found[what] = named or what
            elif named or what == "text":
                raise SourceError(
                    f"{file!r} has no column {named or what!r} (it has {', '.join(names[:12]) or 'none'})",
                    f"name {'another one' if named else 'the one of the text'} by --{what}-column",
                )
        return found


@dataclass
class RowFile:
    """The rows of one file.

    :param rows: `{path, text, title, meta}`, see `RowConverter`; `path` is `FILE#row=ID`.
    :param failed: rows that cannot be used.
    :param renamed: columns whose name is a field of the hub's own: kept as `column_NAME`.
    """

    path: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    failed: list[FailedFile] = field(default_factory=list)
    renamed: list[str] = field(default_factory=list)

    def fail(self, error: str, remedy: str) -> None:
        """Note a row that cannot be used."""
        self.failed.append(failed_file(self.path, "check", SourceError(error, remedy)))


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
    check_source(path, MAX_MB)
    try:
        text = decode_text(path.read_bytes())
    except NotTextError as error:
        raise SourceDamagedError(
            f"{path.name!r} is not a text file ({error})", "check what the file really is"
        ) from error
    except OSError as error:
        raise SourceError(f"{path.name!r} cannot be read ({error.strerror})", "check that you may read it") from error
    found = RowFile(str(path))
    is_table = suffix in TABLE_SUFFIXES
    records = list(_table(text, suffix) if is_table else _json_lines(text, found))
    names = list(dict.fromkeys(name for _, record in records for name in record))
    meant = columns.of(names, path.name)
    found.renamed = [name for name in names if name not in meant.values() and name in OWN]
    seen: dict[str, int] = {}
    for number, record in records:
        given = {what: record.pop(name, None) for what, name in meant.items()}
        row_id = " ".join(_plain(given.get("id")).split()) if "id" in meant else str(number)
        if not row_id:
            found.fail(f"row {number} has nothing in column {meant['id']!r}", "give it an id")
        elif (first := seen.setdefault(row_id, number)) != number:
            found.fail(f"row {number} has the id {row_id!r}, as row {first} has", "give each row its own id")
        else:
            meta = {RENAMED + name if name in OWN else name: _field(value, is_table) for name, value in record.items()}
            found.rows.append({
                "path": f"{found.path}{ROW_MARK}{row_id}",
                "text": _plain(given["text"]),
                "title": _plain(given["title"]) if "title" in meant else None,
                "meta": {name: value for name, value in meta.items() if value not in (None, "", [])},
            })  # fmt: skip
    return found


def _json_lines(text: str, found: RowFile) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if "\\u" in line:  # may spell halves of characters, which nothing can store
                record = json.loads(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", type(error).__name__)
            found.fail(f"line {number} is not valid JSON ({reason})", "mend the line")
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            found.fail(f"line {number} is no JSON object", 'write it as {"text": …}')


def _table(text: str, suffix: str) -> Iterator[tuple[int, dict[str, Any]]]:
    csv.field_size_limit(max(len(text), 131_072))
    text, said = without_separator_line(text)
    try:
        tabs = "\t" if suffix == ".tsv" else ""
        delimiter = said or tabs or csv.Sniffer().sniff(text[:20_000], delimiters=",;\t|").delimiter
    except csv.Error:
        delimiter = ","
    for number, row in enumerate(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter), 1):
        # Cells beyond the head line have no name (key None).
        yield number, {name.strip(): value for name, value in row.items() if name and name.strip()}


def _field(value: Any, is_text: bool) -> Any:
    """Return a value as metadata: scalars and lists of scalars as they are, anything else as JSON.

    :param is_text: the value comes from a file that holds text alone: take what looks like a number for one.
    """
    if is_text:
        return typed(value.strip()) if value else None
    if isinstance(value, list) and all(isinstance(one, str | bool | int | float) for one in value):
        return value
    return value if value is None or isinstance(value, str | bool | int | float) else _plain(value)


def _plain(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
