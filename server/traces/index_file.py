"""The index of the trace log: what a list of runs shows and looks for, in `{home}/logs/traces.sqlite`.

It is made of the log alone and follows it by byte offsets: deleted, it is made anew. A rotated file is known by its
first line, so that its rows stay.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

from khub.components.private_files import private_file
from khub.components.write_ahead import write_ahead
from khub.server.traces.rotating_lines import opened_files
from khub.server.traces.trace_record import TraceRecord
from khub.server.traces.warn_once import warn_once

BUSY_TIMEOUT_S = 60.0
MARK_BYTES = 256
ALIKE = 16
VERSION = 5
SCHEMA = f"""
BEGIN IMMEDIATE;
DROP TABLE IF EXISTS files;
DROP TABLE IF EXISTS runs;
CREATE TABLE files (id INTEGER PRIMARY KEY, mark TEXT NOT NULL UNIQUE, read INTEGER NOT NULL);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, at INTEGER NOT NULL, trace_id TEXT NOT NULL, parent TEXT,
    caller TEXT, kind TEXT, graph TEXT, collection TEXT, degraded INTEGER NOT NULL, failed INTEGER NOT NULL,
    abstained INTEGER, ms REAL NOT NULL, alike TEXT NOT NULL, words TEXT NOT NULL, head TEXT NOT NULL
);
CREATE INDEX runs_by_trace ON runs (trace_id);
CREATE INDEX runs_alike ON runs (alike, ms, kind, graph, collection, caller, degraded, failed, abstained);
CREATE INDEX runs_by_parent ON runs (parent) WHERE parent IS NOT NULL;
PRAGMA user_version={VERSION};
COMMIT;
"""
INSERT = "INSERT INTO runs VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
STAGES, TOTALS, END = b',"stages":[', b',"totals":{', b"]}\n"

T = TypeVar("T")
Work = Callable[[sqlite3.Connection, dict[str, BinaryIO]], T]
_memory: dict[Path, sqlite3.Connection] = {}
_one_at_a_time = threading.Lock()


def with_index(log: Path, work: "Work[T]") -> T:
    """Let `work` read the index as the log is now.

    A damaged index is made anew. One that cannot be written is kept in the memory of this process, with one warning.

    :param log: the trace log.
    :param work: is given the connection, and the files of the log by their marks; it may be called twice.
    """
    if log.parent.is_dir():
        path = log.with_suffix(".sqlite")
        try:
            return _in_sound_file(path, log, work)
        except (OSError, sqlite3.DatabaseError) as error:
            warn_once("index", f"the index of traces cannot be kept in {path} ({error}): it is made in memory")
    return _in_memory(log, work)


def _in_sound_file(path: Path, log: Path, work: "Work[T]") -> T:
    try:
        return _in_file(path, log, work)
    except sqlite3.OperationalError:  # it is locked, or there is no room: no damage
        raise
    except sqlite3.DatabaseError:
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return _in_file(path, log, work)


def _in_file(path: Path, log: Path, work: "Work[T]") -> T:
    private_file(path)
    with contextlib.closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)) as connection:
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            write_ahead(connection, BUSY_TIMEOUT_S)
            connection.executescript(SCHEMA)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA secure_delete=ON")
        return _caught_up(connection, log, work)


def _in_memory(log: Path, work: "Work[T]") -> T:
    with _one_at_a_time:
        connection = _memory.get(log)
        if connection is None:
            connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            connection.executescript(SCHEMA)
            _memory[log] = connection
        return _caught_up(connection, log, work)


def _caught_up(connection: sqlite3.Connection, log: Path, work: "Work[T]") -> T:
    """Bring the index up to the log, and let `work` read it in the same transaction.

    What other processes add meanwhile may be of files that are not open here.
    """
    with connection, _marked(log) as files:
        connection.execute("BEGIN")
        if _known(connection) == {mark: _size(file) for mark, file in files.items()}:
            return work(connection, files)
    connection.execute("BEGIN IMMEDIATE")
    with connection, _marked(log) as files:  # opened anew: nobody else has read further then
        _catch_up(connection, files)
        return work(connection, files)


def _catch_up(connection: sqlite3.Connection, files: dict[str, BinaryIO]) -> None:
    known = _known(connection)
    kept = [mark for mark in known if mark in files]
    if kept != list(files)[: len(kept)] or any(known[mark] > _size(files[mark]) for mark in kept):
        kept = []  # files were put back, mixed up or cut: rows must stand in the order of the log
    for mark in known:
        if mark not in kept:
            connection.execute("DELETE FROM runs WHERE file = (SELECT id FROM files WHERE mark = ?)", (mark,))
            connection.execute("DELETE FROM files WHERE mark = ?", (mark,))
    for mark, file in files.items():
        connection.execute("INSERT OR IGNORE INTO files VALUES (NULL, ?, 0)", (mark,))
        number, start = connection.execute("SELECT id, read FROM files WHERE mark = ?", (mark,)).fetchone()
        reading = _Reading(file, number, start)
        connection.executemany(INSERT, reading.rows())
        connection.execute("UPDATE files SET read = ? WHERE id = ?", (reading.end, number))


class _Reading:
    """The lines of a file from a place on."""

    def __init__(self, file: BinaryIO, number: int, start: int) -> None:
        self._file, self._number, self.end = file, number, start

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield a row for each record; what is no record, and a line that is not ended yet, is passed over."""
        self._file.seek(self.end)
        for line in self._file:
            if not line.endswith(b"\n"):
                return
            at, self.end = self.end, self.end + len(line)
            head = head_of(line)
            if head is not None:
                yield self._number, at, *_columns(head)


def head_of(line: bytes) -> TraceRecord | None:
    """Return the record in a line of the log without its stages, most of it; None where there is none."""
    head, has_stages, _ = line.partition(STAGES)
    # all but the stages stands before them; older records have them in the middle, and a filter may be called so
    is_short = has_stages and TOTALS in head and line.endswith(END)
    record = (_json(head + b"}") if is_short else None) or _json(line)
    if not isinstance(record, dict):
        return None
    return cast(TraceRecord, {key: value for key, value in record.items() if key != "stages"})


def _json(line: bytes) -> Any:
    """Return what JSON says; None where it is none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _columns(head: TraceRecord) -> tuple[Any, ...]:
    error, abstained, ms = head.get("error"), head.get("abstained"), _held(head, "totals").get("ms")
    names = (_text(head.get(key)) for key in ("caller", "kind", "graph", "collection"))
    return (
        _text(head.get("trace_id")) or "",
        _text(_held(head, "parent").get("trace_id")),
        *names,
        bool(head.get("degraded")),
        error is not None or bool(head.get("failed_files")),
        abstained if isinstance(abstained, bool) else None,
        ms if isinstance(ms, int | float) else 0.0,
        alike(head),
        _words(head),
        json.dumps(head),
    )


def alike(head: TraceRecord) -> str:
    """Return what runs of the same question through the same graph in the same collection share; else a run's own."""
    asked = head.get("query")
    asked_or_own = asked if isinstance(asked, str) else [head.get("trace_id")]
    of = json.dumps([asked_or_own, head.get("graph"), head.get("collection")])
    return hashlib.sha256(of.encode()).hexdigest()[:ALIKE]


def _held(head: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return a dict that a record holds; an empty one where there is none."""
    value = head.get(key)
    return value if isinstance(value, dict) else {}


def _words(head: TraceRecord) -> str:
    """Return the text in which words are looked for."""
    sources = head.get("sources")
    parent = _held(head, "parent").get("trace_id")
    parts = [head.get("query"), *(sources if isinstance(sources, list) else []), head.get("error"), parent]
    parts.append(head.get("together"))
    return "\n".join(_text(part) or "" for part in parts if isinstance(part, str)).casefold()


def _text(value: Any) -> str | None:
    """Return a text that SQLite can hold: a log can hold halves of characters."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else None


def _known(connection: sqlite3.Connection) -> dict[str, int]:
    """Return up to where each file has been read, by its mark, the oldest first."""
    return dict(connection.execute("SELECT mark, read FROM files ORDER BY id").fetchall())


@contextlib.contextmanager
def _marked(log: Path) -> Iterator[dict[str, BinaryIO]]:
    """Open the files of the log, by their marks, the oldest first; of two copies of one the newer counts."""
    with opened_files(log) as files:
        marked: dict[str, BinaryIO] = {}
        for file in files:
            if (mark := _mark(file)) is not None:
                marked.pop(mark, None)
                marked[mark] = file
        yield marked


def _mark(file: BinaryIO) -> str | None:
    """Return what tells a file from all others, its name being none: its first line, once that is there."""
    start = file.read(MARK_BYTES)
    line, ended, _ = start.partition(b"\n")
    return hashlib.sha256(line).hexdigest() if ended or len(start) == MARK_BYTES else None


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size
