"""What the stages before an answer say about themselves, in an order that does not depend on which ended first."""

from collections.abc import Iterable
from typing import Any

from khub.components.answer import Degraded
from khub.components.errors import RetrievalError
from khub.components.question import NO_SIGNS, KeywordSigns, Leg


def joined_failures(degraded: Iterable[list[dict[str, Any]] | None]) -> list[Degraded]:
    """Join the stages' lists of `{"stage", "reason"}`, by name."""
    entries = (Degraded(entry["stage"], entry["reason"]) for entries in degraded for entry in entries or ())
    return sorted(entries, key=lambda entry: (entry.stage, entry.reason))


def whole_legs(legs: Iterable[Leg | None]) -> list[Leg]:
    """Return the legs by name.

    :raises RetrievalError: when no leg could answer and at least one of them has failed.
    """
    found = sorted(filter(None, legs), key=lambda leg: leg.name)
    failed = [leg for leg in found if leg.failed]
    if failed and not any(leg.used for leg in found):
        reasons = "; ".join(f"{leg.name}: {leg.reason}" for leg in failed)
        raise RetrievalError(f"no search leg could answer ({reasons})", "run `khub doctor`, then ask again")
    return found


def late_legs(legs: Iterable[Leg]) -> list[Degraded]:
    """Return an entry for each leg whose index does not hold all yet that other machines have committed."""
    return [Degraded(leg.name, f"behind by {leg.behind} commits") for leg in legs if leg.behind]


def keyword_signs(legs: Iterable[Leg]) -> KeywordSigns:
    """Return what the keyword leg has found out of the question's terms; `NO_SIGNS` where none has searched."""
    return next((leg.signs for leg in legs if leg.signs.rarity), NO_SIGNS)
