"""Runs of the trace log in the order that is asked for, repeated questions taken together; and figures of many runs."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

from khub.server.traces.index import Conditions, RunFilter, RunRow, row_of
from khub.server.traces.index_file import with_index
from khub.server.traces.log import trace_path

Order = Literal["time", "-time", "ms", "-ms"]
"""By the newest run, or by the median of the times; a `-` before it where it falls."""
ORDERS: tuple[Order, ...] = ("time", "-time", "ms", "-ms")
MEDIAN = "max(ms) FILTER (WHERE place = (runs + 1) / 2)"
RANKED = (
    "(SELECT *, row_number() OVER (PARTITION BY {key} ORDER BY ms) AS place, count(*) OVER (PARTITION BY {key}) AS runs"
    " FROM (SELECT id, alike, ms FROM %s))"
)


@dataclass(frozen=True)
class RunFigures:
    """What several runs came to: how many they are, how many went otherwise, and percentiles of their times."""

    runs: int
    degraded: int
    failed: int
    abstained: int
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True)
class RunGroup:
    """Runs that are alike, of which there may be one alone."""

    newest: RunRow
    figures: RunFigures


@dataclass(frozen=True)
class GroupPage:
    """Some of the groups that were found, how many there are in all, and the figures of all runs in them."""

    groups: list[RunGroup]
    total: int
    figures: RunFigures


def find_groups(wanted: RunFilter, order: Order, offset: int, limit: int) -> GroupPage:
    """Return a page of the runs that are wanted, alike ones in one group; by themselves where `alike` is."""

    def find(index: sqlite3.Connection, _: dict[str, BinaryIO]) -> GroupPage:
        key = "id" if wanted.alike else "alike"
        found = list(_page(Conditions(index, wanted), key, order, limit, offset))
        groups = [_group(index, wanted, key, value, newest) for value, newest, _ in found]
        return GroupPage(groups, found[0][2] if found else 0, _figures(Conditions(index, wanted)))

    return with_index(trace_path(), find)


def _page(where: Conditions, key: str, order: Order, limit: int, offset: int) -> Iterable[tuple[Any, int, int]]:
    """Return what tells each group from the others, the id of its newest run, and how many groups there are."""
    value, of = ("max(id)", "%s") if order.endswith("time") else (MEDIAN, RANKED.format(key=key))
    falls = "DESC" if order.startswith("-") else ""
    more = f"GROUP BY {key} ORDER BY {value} {falls}, max(id) DESC LIMIT ? OFFSET ?"
    return where.select(f"{key}, max(id), count(*) OVER ()", more, limit, offset, of=of)


def _group(index: sqlite3.Connection, wanted: RunFilter, key: str, value: str | int, newest: int) -> RunGroup:
    one, alike = Conditions(index, wanted), Conditions(index, wanted)
    one.add("id = ?", newest)
    alike.add(f"{key} = ?", value)
    return RunGroup(row_of(next(iter(one.heads(1)))), _figures(alike))


def _figures(where: Conditions) -> RunFigures:
    columns = "count(*), total(degraded), total(failed), total(abstained)"
    runs, *otherwise = map(int, where.select(columns).fetchone())
    at = (max(0, -(-runs * percent // 100) - 1) for percent in (50, 95))
    times = [where.select("ms", "ORDER BY ms LIMIT 1 OFFSET ?", place).fetchone() or (0.0,) for place in at]
    return RunFigures(runs, *otherwise, *(ms for (ms,) in times))
