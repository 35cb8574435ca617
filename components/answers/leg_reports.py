"""What the stages before the answer say about themselves, in an order that does not depend on which ended first."""

from collections.abc import Iterable
from typing import Any

from components.errors import RetrievalError

LEGS = ("dense", "sparse")
BEFORE, AFTER = (
    ("route", "filter", "synonyms", "expand", "translate", "gloss"),
    ("cosines", "rank", "interact", "rerank"),
)
STAGES = (*BEFORE, *LEGS, *AFTER, "evidence")


def in_order_of_stages(degraded: Iterable[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Join the stages' lists of `{"stage", "reason"}`: those of a query graph in its order, then others by name.

    :param degraded: one list for each stage.
    :returns: one list.
    """
    return sorted(
        (entry for entries in degraded for entry in entries),
        key=lambda entry: (_place(entry["stage"], STAGES), entry["stage"], entry["reason"]),
    )


def complete_legs(reports: Iterable[dict[str, Any]], degraded: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Order the legs' reports, and add one for each leg that has failed and so has not reported.

    :param reports: `{"name", "used", "hits", "reason", ...}` of each leg that ran.
    :param degraded: `{"stage", "reason"}` of each failure; a leg's stage has the leg's name.
    :returns: one report for each leg: dense, sparse, then others by name.
    :raises RetrievalError: when no leg could answer and at least one of them has failed.
    """
    legs = {report["name"]: report for report in reports}
    failed = {entry["stage"]: entry["reason"] for entry in degraded if entry["stage"] in LEGS}
    for name, reason in failed.items():
        legs.setdefault(name, {"name": name, "used": False, "hits": 0, "reason": reason})
    if failed and not any(leg["used"] for leg in legs.values()):
        reasons = "; ".join(f"{name}: {reason}" for name, reason in sorted(failed.items()))
        raise RetrievalError(f"no search leg could answer ({reasons})", "run `khub doctor`, then ask again")
    return sorted(legs.values(), key=lambda leg: (_place(leg["name"], LEGS), leg["name"]))


def keyword_report(reports: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return what the keyword leg has told of the query's terms; empty where none has searched.

    :param reports: as in `complete_legs`.
    """
    return next((report for report in reports if report.get("rarity")), {})


def _place(name: str, order: tuple[str, ...]) -> int:
    return order.index(name) if name in order else len(order)
