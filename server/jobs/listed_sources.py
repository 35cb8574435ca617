"""The sources that are known: those of `sources.yaml`, and those that were synced by hand."""

from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from khub.components.catalog.access import access_levels, caller
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import OptionError
from khub.server.jobs.source_jobs import waiting_job
from khub.server.reads.hub_reads import collections, reader
from khub.server.sources.configured import read_sources


@dataclass(frozen=True)
class ListedSource:
    """A source and how it stands.

    :param every_s: seconds from one time to the next; None: only when somebody asks.
    :param configured: whether `sources.yaml` names it.
    :param last_at: when it was synced last; ISO 8601 in UTC, as `next_at`.
    :param problem: why it stands still; empty if nothing is wrong.
    :param running: id of the job that is at it, or waits.
    :param counts: of the last time: `items`, `fetched`, `written`, `removed`, `failed`, `left_out`; empty, as `problem`
        and `running`, where parts of the collection are closed to the caller.
    """

    key: str
    address: str
    collection: str
    every_s: float | None
    configured: bool
    last_at: str | None
    next_at: str | None
    problem: str
    running: str | None
    counts: dict[str, int]


PATHS = ("zip", "tar", "git")
"""Schemes behind which a path of this machine may stand."""
COUNTS = ("items", "fetched", "written", "removed", "failed", "left_out")


def listed_sources() -> list[ListedSource]:
    """Return those of the collections that there are for the caller, in their order.

    An entry of `sources.yaml` that cannot be used is one, too, with what is wrong and without a key: for who sees all,
    since it may name anything.
    """
    catalog = open_catalog()
    usable, wrong = read_sources()
    asked = {one.key: one for one in usable}
    states = {one.key: one for one in catalog.source_states.all()} if catalog.database.exists() else {}
    found = []
    for key in dict.fromkeys([*asked, *states]):
        one, state = asked.get(key), states.get(key)
        record: dict[str, Any] = state.record if state else {}
        running = waiting_job(key) if state else None
        found.append(
            ListedSource(
                key=key,
                address=_told(one.shown if one else states[key].address),
                collection=one.collection if one else states[key].collection,
                every_s=one.every_s if one else None,
                configured=one is not None,
                last_at=record.get("ended_at"),
                next_at=state.next_at if state and one and one.every_s else None,
                problem=_hidden(_problem(record), one.shown if one else states[key].address),
                running=running["job_id"] if running else None,
                counts={name: int(record.get(name, 0)) for name in COUNTS},
            )
        )
    mine = caller().collections
    found = [source for source in found if mine is None or source.collection in mine]
    if access_levels() is not None:
        found = _as_far_as_opened(found)
    if caller().sees_all:
        found += [_unusable(error) for error in wrong]
    return sorted(found, key=lambda source: (source.collection, source.address))


def _as_far_as_opened(sources: list[ListedSource]) -> list[ListedSource]:
    """Return those of collections that levels open; what could tell of closed documents is left out of the others."""
    names = set(collections().names()) if open_catalog().database.exists() else set()
    return [
        source
        if reader().collection_is_opened(source.collection)
        else replace(source, problem="", running=None, counts={})
        for source in sources
        if source.collection in names
    ]


def _unusable(error: OptionError) -> ListedSource:
    counts = dict.fromkeys(COUNTS, 0)
    return ListedSource("", "sources.yaml", "", None, False, None, None, str(error), None, counts)


def _problem(record: dict[str, Any]) -> str:
    problem = str(record.get("problem") or "")
    return problem or "; ".join(record.get("incomplete") or [])


def _hidden(text: str, address: str) -> str:
    """Return a text about a source as the caller may know it, see `_told`."""
    place = address.partition(":")[2]
    return text if _told(address) == address else text.replace(place, PurePath(place).name)


def _told(address: str) -> str:
    """Return an address as the caller may know it: to who has a token no folder of this machine is told."""
    scheme, _, place = address.partition(":")
    is_path = scheme in PATHS and "://" not in place
    return f"{scheme}:{PurePath(place).name}" if is_path and caller().name else address
