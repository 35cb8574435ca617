"""Find runs in the trace log: those that the caller may know, the newest first."""

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

from khub.components.catalog.access import caller
from khub.server.traces.index_file import alike, with_index
from khub.server.traces.log import trace_path
from khub.server.traces.trace_record import TraceRecord

EVALUATION = "evaluation"
"""Who asks the questions of an evaluation: a name that no token has, which all end in a dot and an id."""
LAST = "\U0010ffff"
"""Comes after every character of an id."""


@dataclass(frozen=True)
class RunFilter:
    """Which runs are wanted; what is None or empty is not asked for.

    :param kinds: `query`, `verify`, `ingest`, `evaluate`.
    :param words: all of them stand in the question, the sources or the error, in any case, or in the id of the client's
        trace that the run is a part of, or of what it answers together with others.
    :param evaluation: whether an evaluation asked.
    :param degraded: whether a stage was replaced by the next best thing.
    :param failed: whether it ended with an error, or a file of it failed.
    :param slower_ms: it took longer than this.
    :param alike: it is one of the runs that have this `alike`.
    """

    kinds: tuple[str, ...] = ()
    words: str = ""
    collection: str | None = None
    graph: str | None = None
    degraded: bool | None = None
    failed: bool | None = None
    abstained: bool | None = None
    slower_ms: float | None = None
    alike: str = ""
    evaluation: bool | None = None


@dataclass(frozen=True)
class RunRow:
    """A run in a list.

    :param query: None where it has none, and where its text is not kept.
    :param characters: length of a question whose text is not kept.
    :param degraded: names of the stages that were replaced.
    :param abstained: None where nothing could.
    :param sources: files that were read, of an ingest: the first of them.
    :param source_count: how many they were.
    :param failed_files: how many of them failed.
    :param parent: id of the client's trace that it is a part of.
    :param alike: the same for runs of the same question through the same graph in the same collection.
    :param together: the same for the runs of a question to all collections; empty for others.
    """

    trace_id: str
    time: str
    kind: str
    graph: str
    collection: str | None
    query: str | None
    characters: int | None
    ms: float
    degraded: tuple[str, ...]
    abstained: bool | None
    sources: tuple[str, ...]
    source_count: int | None
    failed_files: int
    error: str | None
    caller: str | None
    parent: str | None
    alike: str
    together: str


@dataclass(frozen=True)
class RunPage:
    """Some of the runs that were found, and how many there are in all."""

    runs: list[RunRow]
    total: int


@dataclass(frozen=True)
class RunValues:
    """What runs are told apart by."""

    graphs: list[str]
    collections: list[str]
    callers: list[str]


def find_runs(wanted: RunFilter, offset: int, limit: int) -> RunPage:
    """Return a page of the runs that are wanted."""

    def find(index: sqlite3.Connection, _: dict[str, BinaryIO]) -> RunPage:
        where = Conditions(index, wanted)
        return RunPage([row_of(head) for head in where.heads(limit, offset)], where.count())

    return with_index(trace_path(), find)


def runs_after(last: str, wanted: RunFilter, limit: int) -> list[RunRow]:
    """Return the next runs of a list.

    :param last: `trace_id` of the last one that is known, empty for none: what came meanwhile stands before it.
    """

    def find(index: sqlite3.Connection, _: dict[str, BinaryIO]) -> list[RunRow]:
        where = Conditions(index, wanted)
        if last:
            where.add("id < (SELECT max(id) FROM runs WHERE trace_id = ?)", last)
        return [row_of(head) for head in where.heads(limit)]

    return with_index(trace_path(), find)


def find_heads(wanted: RunFilter, limit: int) -> list[TraceRecord]:
    """Return the newest records that are wanted, without their stages."""
    return with_index(trace_path(), lambda index, _: list(Conditions(index, wanted).heads(limit)))


def find_records(wanted: RunFilter, limit: int) -> list[TraceRecord]:
    """Return the newest records that are wanted, whole."""
    return with_index(trace_path(), lambda index, files: Conditions(index, wanted).records(files, limit))


def read_traces(limit: int, kind: str | None = None) -> list[TraceRecord]:
    """Return the newest records that the caller may know, newest first, across rotated files.

    :param limit: how many at most.
    :param kind: `query`, `verify`, `ingest` or `evaluate`: only these; None: all.
    """
    return find_records(RunFilter(kinds=(kind,) if kind else ()), limit)


def find_trace(trace_id_prefix: str) -> TraceRecord | None:
    """Return the newest record whose `trace_id` begins so, or the `trace_id` of its `parent`, a client's trace.

    :returns: None where there is none, also for an empty prefix.
    """

    def read(index: sqlite3.Connection, files: dict[str, BinaryIO]) -> TraceRecord | None:
        for column in ("trace_id", "parent"):
            where = Conditions(index, RunFilter())
            where.add(f"{column} >= ? AND {column} < ?", trace_id_prefix, trace_id_prefix + LAST)
            if found := where.records(files, 1):
                return found[0]
        return None

    return with_index(trace_path(), read) if trace_id_prefix else None


def run_values() -> RunValues:
    """Return the names of the graphs and collections that runs were of, and of who started them."""

    def read(index: sqlite3.Connection, _: dict[str, BinaryIO]) -> RunValues:
        where = Conditions(index, RunFilter())
        return RunValues(where.values("graph"), where.values("collection"), where.values("caller"))

    return with_index(trace_path(), read)


class Conditions:
    """What rows have to fulfil: what is wanted, and that the caller may know them."""

    def __init__(self, index: sqlite3.Connection, wanted: RunFilter) -> None:
        self._index = index
        self._conditions: list[str] = []
        self._values: list[Any] = []
        who = caller()
        if not who.sees_all:
            index.create_function("may_know", 1, who.may_know)
            self.add("may_know(caller)")
        if wanted.kinds:
            self.add(f"kind IN ({', '.join('?' * len(wanted.kinds))})", *wanted.kinds)
        for name in ("collection", "graph", "degraded", "failed", "abstained"):
            if (value := getattr(wanted, name)) is not None:
                self.add(f"{name} = ?", value)
        if wanted.slower_ms is not None:
            self.add("ms > ?", wanted.slower_ms)
        if wanted.evaluation is not None:
            self.add("(coalesce(caller, '') = ?) = ?", EVALUATION, wanted.evaluation)
        if wanted.alike:
            self.add("alike = ?", wanted.alike)
        for word in wanted.words.casefold().split():
            self.add("instr(words, ?)", word.encode(errors="replace").decode())

    def add(self, condition: str, *values: Any) -> None:
        """Ask for one thing more."""
        self._conditions.append(condition)
        self._values += values

    def count(self) -> int:
        """Return how many there are."""
        return int(self.select("count(*)").fetchone()[0])

    def values(self, column: str) -> list[str]:
        """Return the different values of a column, sorted."""
        return sorted(str(value) for (value,) in self.select(f"DISTINCT {column}") if value)

    def heads(self, limit: int, offset: int = 0) -> Iterable[TraceRecord]:
        """Return records without their stages, the newest first."""
        found = self.select("head", "ORDER BY id DESC LIMIT ? OFFSET ?", limit, offset)
        return (json.loads(head) for (head,) in found)

    def records(self, files: dict[str, BinaryIO], limit: int) -> list[TraceRecord]:
        """Return records, the newest first, out of the files of the log; one that is torn is passed over."""
        columns = "(SELECT mark FROM files WHERE files.id = runs.file), at"
        found = self.select(columns, "ORDER BY id DESC LIMIT ?", limit)
        records = (_record_at(files[mark], at) for mark, at in found)
        return [record for record in records if record is not None]

    def select(self, columns: str, more: str = "", *values: Any, of: str = "%s") -> sqlite3.Cursor:
        """Return columns of the rows.

        :param more: what orders, groups and cuts them.
        :param values: of that.
        :param of: the table to select from, which is made of the rows where `%s` stands.
        """
        rows = f"runs WHERE {' AND '.join(self._conditions)}" if self._conditions else "runs"
        return self._index.execute(f"SELECT {columns} FROM {of % rows} {more}", [*self._values, *values])  # noqa: S608


def _record_at(file: BinaryIO, at: int) -> TraceRecord | None:
    file.seek(at)
    try:
        record = json.loads(file.readline())
    except (ValueError, RecursionError):
        return None
    return cast(TraceRecord, record) if isinstance(record, dict) else None


def row_of(head: TraceRecord) -> RunRow:
    """Return what a list shows of a record."""
    query, totals = head.get("query"), head.get("totals") or {}
    return RunRow(
        trace_id=head.get("trace_id") or "",
        time=head.get("time") or "",
        kind=head.get("kind") or "",
        graph=head.get("graph") or "",
        collection=head.get("collection"),
        query=query if isinstance(query, str) else None,
        characters=query.get("chars") if isinstance(query, dict) else None,
        ms=totals.get("ms") or 0.0,
        degraded=tuple(str(entry.get("stage")) for entry in head.get("degraded") or []),
        abstained=head.get("abstained"),
        sources=tuple(map(str, head.get("sources") or ())),
        source_count=head.get("source_count"),
        failed_files=head.get("failed_files") or 0,
        error=head.get("error"),
        caller=head.get("caller"),
        parent=(head.get("parent") or {}).get("trace_id"),
        alike=alike(head),
        together=head.get("together") or "",
    )
