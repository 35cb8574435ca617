"""The lists of passages that the stages of a run gave, and the way of each passage through them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

PLAIN = ("documents", "answer")
"""Outputs whose list is called like its stage; another one is `stage.output`."""


class Known(StrEnum):
    """What a list tells of a passage."""

    IN = "in"
    OUT = "out"
    UNKNOWN = "unknown"
    """The record keeps the first places of a list; it was in none of them."""


@dataclass(frozen=True)
class Place:
    """A rank from 1, and the score where there is one."""

    rank: int
    score: float | None


@dataclass(frozen=True)
class Ranking:
    """A list of passages that a stage gave.

    :param name: of the list; the stage's name where it gives one list.
    :param count: how many the list held.
    :param places: chunk id -> its place, as far as they are kept.
    :param before: names of the lists that the stage was given; none where it searched by itself.
    """

    name: str
    stage: str
    count: int
    places: Mapping[str, Place]
    before: tuple[str, ...]

    def knows(self, chunk_id: str) -> Known:
        """Say whether the list held a passage."""
        if chunk_id in self.places:
            return Known.IN
        return Known.OUT if len(self.places) >= self.count else Known.UNKNOWN


@dataclass(frozen=True)
class Step:
    """A passage at one of the lists.

    :param moved: by how many places it stands higher than in the best of the lists before; None where that is not
        known.
    :param is_new: none of the lists before had it.
    :param is_lost: one of the lists before had it, and this one has it not.
    """

    ranking: Ranking
    known: Known
    place: Place | None
    moved: int | None
    is_new: bool
    is_lost: bool


def rankings(record: Mapping[str, Any]) -> list[Ranking]:
    """Return the lists of passages of a run in the order in which they came; any graph's, whatever its stages."""
    found: list[Ranking] = []
    for stage in sorted(record.get("stages") or [], key=_ended):
        before = _before(stage, found)
        for output, count, places in _lists(stage.get("output")):
            own = str(stage.get("name"))
            name = _unused(own if output in PLAIN else f"{own}.{output}", [r.name for r in found])
            found.append(Ranking(name, own, count, places, before))
    return found


def candidates(lists: Iterable[Ranking]) -> list[str]:
    """Return the ids of all passages that the lists name, those first that came furthest and stand highest there."""
    late_first = [ranking.places for ranking in lists][::-1]
    ids = dict.fromkeys(chunk_id for places in late_first for chunk_id in places)
    last = float("inf")
    return sorted(ids, key=lambda i: [places[i].rank if i in places else last for places in late_first])


def way(lists: Iterable[Ranking], chunk_id: str) -> list[Step]:
    """Return what became of a passage at each list."""
    known: dict[str, Ranking] = {}
    steps = []
    for ranking in lists:
        steps.append(_step(ranking, [known[name] for name in ranking.before], chunk_id))
        known[ranking.name] = ranking
    return steps


def _step(ranking: Ranking, before: list[Ranking], chunk_id: str) -> Step:
    known, place = ranking.knows(chunk_id), ranking.places.get(chunk_id)
    ranks = [earlier.places[chunk_id].rank for earlier in before if chunk_id in earlier.places]
    return Step(
        ranking,
        known,
        place,
        moved=min(ranks) - place.rank if place and ranks else None,
        is_new=bool(before) and known is Known.IN and all(r.knows(chunk_id) is Known.OUT for r in before),
        is_lost=known is Known.OUT and bool(ranks),
    )


def _ended(stage: Mapping[str, Any]) -> float:
    return float(stage.get("start_ms") or 0) + float(stage.get("ms") or 0)


def _before(stage: Mapping[str, Any], found: list[Ranking]) -> tuple[str, ...]:
    """Return the lists that a stage was given; its other inputs carry none, as far as inputs are kept."""
    given = stage.get("input") or {}
    if "senders" not in stage:  # an older record: those that came last
        number = sum(
            len(value) if isinstance(value, list) else 1 for value in filter(_carries_passages, given.values())
        )
        return tuple(ranking.name for ranking in found[len(found) - number :])
    fed = [names for socket, names in stage["senders"].items() if not given or _carries_passages(given.get(socket))]
    senders = {sender for names in fed for sender in names}
    return tuple(ranking.name for ranking in found if ranking.stage in senders)


def _carries_passages(value: Any) -> bool:
    if isinstance(value, list):  # one list from each sender
        return any(map(_carries_passages, value))
    return isinstance(value, dict) and (value.keys() == {"count"} or "documents" in value or "citations" in value)


def _lists(output: Any) -> Iterator[tuple[str, int, dict[str, Place]]]:
    for name, value in (output or {}).items() if isinstance(output, dict) else ():
        if isinstance(value, dict) and isinstance(value.get("documents"), list):
            yield name, int(value["count"]), _places(value["documents"], "id")
        elif name == "documents" and value == []:
            yield name, 0, {}
        elif isinstance(value, dict) and "citations" in value:
            yield name, *_cited(value["citations"])


def _cited(citations: Any) -> tuple[int, dict[str, Place]]:
    """Return the passages of an answer; of many, the record keeps the first as `items`, of none at all the number."""
    kept = citations.get("items", []) if isinstance(citations, dict) else citations
    count = citations["count"] if isinstance(citations, dict) else len(citations)
    return int(count), _places(kept, "chunk_id")


def _places(items: list[Any], key: str) -> dict[str, Place]:
    numbered = ((rank, item) for rank, item in enumerate(items, start=1) if isinstance(item, dict) and key in item)
    return {str(item[key]): Place(int(item.get("rank") or rank), item.get("score")) for rank, item in numbered}


def _unused(name: str, taken: list[str]) -> str:
    """Return a name for the list; a stage that runs again gives one more."""
    used = sum(other == name or other.startswith(f"{name} (") for other in taken)
    return f"{name} ({used + 1})" if used else name
