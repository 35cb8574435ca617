"""What a retrieval leg says of itself, beside its documents."""

from collections.abc import Sequence
from typing import Any

LEGS = ("dense", "sparse")


def report(name: str, hits: int, reason: str = "", **more: Any) -> dict[str, Any]:
    """Return the report of a leg that searched."""
    return {"name": name, "used": True, "hits": hits, "reason": reason, **more}


def left_out(name: str, reason: str) -> dict[str, Any]:
    """Return what a leg hands on when it does not search, for a reason that is no fault."""
    return {"documents": [], "leg": {"name": name, "used": False, "hits": 0, "reason": reason}}


def wanted(name: str, legs: Sequence[str] | None) -> bool:
    """Say whether the caller asked for this leg; None means both."""
    return legs is None or name in legs
