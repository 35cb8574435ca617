"""A question of the trace log, asked once more as it was asked then."""

from collections.abc import Mapping
from typing import Any

from khub.components.answer import Answer
from khub.components.errors import QueryError
from khub.server.graphs.load import load_graph
from khub.server.questions.ask import ask
from khub.server.traces.summary import MAX_TEXT

CUT = ({"count"}, {"chars"}, {"type"}, {"count", "items"})
"""What stands in a record in the place of a value that it does not keep whole."""


def asked_again(record: Mapping[str, Any]) -> Answer:
    """Ask the question of a record anew; the run is traced like any other.

    :raises KhubError: if the record does not keep all that was asked, or what `ask` raises.
    """
    given = arguments(record)
    inputs, wanted = load_graph(given["graph_name"]).inputs, given.pop("more")
    return ask(**given, more={name: value for name, value in wanted.items() if name in inputs})


def arguments(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `ask` was called with.

    :raises QueryError: if the record does not keep all of it.
    """
    query = record.get("query")
    if record.get("kind") != "query" or not isinstance(query, str):
        raise QueryError("this trace keeps no question", "ask anew; KHUB_TRACE=standard keeps what is asked")
    if len(query) >= MAX_TEXT:
        raise QueryError(f"this trace keeps the first {MAX_TEXT} characters of its question alone", "ask it anew")
    given = dict(record.get("asked_with") or {})
    if not all(map(_is_whole, given.values())):
        raise QueryError("this trace keeps a part of the filter or of the conversation alone", "ask it anew")
    return {
        "query": query,
        "collection": record.get("collection"),
        "graph_name": str(record.get("graph")),
        "filters": given.get("filters"),
        "legs": given.get("legs"),
        "top_k": given.get("top_k"),
        "more": {"history": given["history"]} if given.get("history") else {},
    }


def _is_whole(value: Any) -> bool:
    if isinstance(value, dict):
        return value.keys() not in CUT and all(map(_is_whole, value.values()))
    return not isinstance(value, list) or all(map(_is_whole, value))
