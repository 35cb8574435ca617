"""Names of the hub's own classes in graphs and catalogs, also as they were in version 0.1.0."""

import logging
import re
from functools import cache
from typing import Any

notice = logging.getLogger("khub.notice")
OWN = "khub.components."
"""What the path of each of the hub's own component classes begins with."""
FIRST = "components."
"""What it began with in 0.1.0."""
EVALUATORS = "khub.eval.evaluators."
"""What the path of each evaluator begins with."""
_MOVED = {f"{OWN}evaluators.": EVALUATORS}
LEFT: dict[str, frozenset[str]] = {
    f"{OWN}answers.evidence.Evidence": frozenset({"neighbour_weight", "listing_penalty"}),
    f"{OWN}rankers.late_interaction_ranker.LateInteractionRanker": frozenset({"verbatim_weight"}),
}
"""Parameters that classes had in 0.1.0 and have no more: graphs that give them go on without."""
_OF_FIRST = re.compile(rf"(?:khub\.)?{re.escape(FIRST)}(?:\w+\.)+[A-Z]\w*")


def current_name(text: str) -> str:
    """Return the path of a class of the hub's own as it is called now; any other text as it is."""
    return current_path(text) if _OF_FIRST.fullmatch(text) else text


def current_path(path: str) -> str:
    """Return the current path of what lay at this path in 0.1.0."""
    path = OWN + path.removeprefix(OWN).removeprefix(FIRST)
    return next((new + path.removeprefix(old) for old, new in _MOVED.items() if path.startswith(old)), path)


def is_own(path: str) -> bool:
    """Say whether a class or module is a component of the hub's own."""
    return path.startswith((OWN, EVALUATORS))


def with_current_names(value: Any) -> Any:
    """Return plain data of JSON or YAML with every path of a class of the hub's own as it is called now."""
    if isinstance(value, str):
        return current_name(value)
    if isinstance(value, list):
        return [with_current_names(item) for item in value]
    if isinstance(value, dict):
        return _without_left({key: with_current_names(item) for key, item in value.items()})
    return value


def _without_left(entry: dict[Any, Any]) -> dict[Any, Any]:
    parameters, kind = entry.get("init_parameters"), entry.get("type")
    if not isinstance(kind, str) or not isinstance(parameters, dict):
        return entry
    if not (left := LEFT.get(kind, frozenset[str]()) & parameters.keys()):
        return entry
    _tell_left(kind, ", ".join(sorted(left)))
    return {**entry, "init_parameters": {key: item for key, item in parameters.items() if key not in left}}


@cache
def _tell_left(kind: str, names: str) -> None:
    notice.warning("%s has no %s any more: take it out of the graph", kind.rpartition(".")[2], names)


def with_first_names(text: str) -> str:
    """Return a text with the names of 0.1.0 for the hub's own classes: what is hashed keeps them."""
    return text.replace(OWN, FIRST)
