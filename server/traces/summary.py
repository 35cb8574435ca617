"""What a trace keeps of the values that pass through a graph."""

from collections.abc import Mapping
from typing import Any

from haystack import Document
from haystack.dataclasses import ChatMessage

from khub.components.question import Leg, Question
from khub.components.value import Value, as_json

MASKED = "masked"
"""The level at which no text stands in a trace that somebody has written, and all that is counted does."""
LABELS = frozenset(
    {"name", "collection", "graph", "stage", "by", "type", "kind", "language", "model", "index", "cache", "doc_id"}
    | {"chunk_id", "id", "verdict"}
)
"""Keys whose values are words of the hub's own, or ids; of all others nobody knows."""
MAX_ITEMS = 20
MAX_TEXT = 500
MAX_PROMPT = 4000
"""What a model is asked begins with what it is always told."""
MAX_LABEL = 200
MAX_DEPTH = 4
NUMBERS = frozenset({type(None), bool, int, float})
TEXT_KEYS = frozenset({"text", "content", "answer", "prompt", "markdown", "snippet", "caption", "summary"})


def summarize_input(values: dict[str, Any], level: str) -> dict[str, Any]:
    """Summarize a component's inputs that have a value.

    Lists of documents are kept as their length: the output of another stage lists them.

    :param values: socket -> value.
    :param level: `minimal`, `standard` or `verbose`.
    """
    return {name: _summarize_input(name, value, level) for name, value in values.items() if value is not None}


def _summarize_input(name: str, value: Any, level: str) -> Any:
    if _is_documents(value):
        return {"count": len(value)}
    if isinstance(value, list) and value and any(_is_documents(item) for item in value):  # one list from each sender
        return [{"count": len(item)} for item in value[:MAX_ITEMS]]
    return summarize(value, level, name)


def summarize_output(values: dict[str, Any], level: str) -> dict[str, Any]:
    """Summarize a component's outputs; of documents the first 20 with id, rank (from 1) and score.

    What a question and a leg hold is told here alone: each is the input of many stages.

    :param values: socket -> value.
    :param level: `minimal`, `standard` or `verbose`.
    """
    return {name: summarize(_opened(value), level, name) for name, value in values.items()}


def _opened(value: Any) -> Any:
    if isinstance(value, Leg):
        figures = {"spread": value.spread, "weight": value.weight or None, **as_json(value.signs)}
        return {**as_json(value.report()), **_kept(figures)}
    if isinstance(value, Question):
        kept = as_json(_kept(vars(value)))
        return kept if value.text in ("", value.asked) else {**kept, "searched": value.text}
    return value


def _kept(values: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in values.items() if one not in (None, "", [], {})}


def summarize(value: Any, level: str, key: str = "", depth: int = 0) -> Any:
    """Return a small JSON value that stands for another one; nothing of it is shared with the original.

    :param value: anything.
    :param level: `minimal` (numbers and counts), `masked` (also document ids, and labels of known kinds), `standard`
        (also short labels), `verbose` (also texts, cut at 500 characters).
    :param key: the name under which the value stands: `text`, `content`, `answer` … are never shown as labels.
    :param depth: how deep in dicts and lists it lies; beyond 4 only counts are kept.
    """
    if type(value) in NUMBERS or isinstance(value, int | float):  # the first is much faster, and true of nearly all
        return value
    if key == "usage" and level == MASKED:
        level = "standard"  # what a model's server has counted, under names of its own
    if isinstance(value, str):
        return _summarize_text(value, level, key)
    if isinstance(value, Document | ChatMessage):
        return _summarize_object(value, level, depth)
    if isinstance(value, Value) and not isinstance(value, Question | Leg):
        value = as_json(value)
    is_list = isinstance(value, list | tuple)
    if is_list or isinstance(value, Mapping):
        if level == "minimal" or depth >= MAX_DEPTH:
            return {"count": len(value)}
        return _summarize_list(value, level, key, depth) if is_list else _summarize_dict(value, level, depth)
    return {"type": type(value).__name__}


def _summarize_dict(value: Mapping[Any, Any], level: str, depth: int) -> dict[str, Any]:
    if level == MASKED and not all(isinstance(k, str) and _is_a_name(k) for k in value):
        return {"count": len(value)}
    if level == MASKED and value and all(isinstance(v, int | float) for v in value.values()):
        return {"values": list(value.values())[:MAX_ITEMS]}  # the words of a question, each with its weight
    return {str(k): summarize(v, level, str(k), depth + 1) for k, v in list(value.items())[:MAX_ITEMS]}


def _is_a_name(key: str) -> bool:
    return key.isascii() and key.isidentifier()


def _summarize_list(value: list[Any] | tuple[Any, ...], level: str, key: str, depth: int) -> Any:
    if _is_documents(value):
        documents = [_summarize_document(d, rank, level) for rank, d in enumerate(value[:MAX_ITEMS], 1)]
        return {"count": len(value), "documents": documents}
    if len(value) > MAX_ITEMS and isinstance(value[0], float):
        return {"count": len(value)}  # a vector: its numbers tell a reader nothing
    items = [summarize(item, level, key, depth + 1) for item in value[:MAX_ITEMS]]
    return items if len(value) <= MAX_ITEMS else {"count": len(value), "items": items}


def _summarize_document(document: Document, rank: int, level: str) -> dict[str, Any]:
    summary = {"id": document.id, "rank": rank, "score": document.score}
    if level == "verbose":
        summary["text"] = (document.content or "")[:MAX_TEXT]
    return summary


def _summarize_object(value: Document | ChatMessage, level: str, depth: int) -> dict[str, Any]:
    if isinstance(value, Document):
        return _summarize_document(value, 1, level)
    return _summarize_message(value, level, depth)


def _summarize_message(message: ChatMessage, level: str, depth: int) -> dict[str, Any]:
    told = {name: message.meta[name] for name in ("model", "usage") if message.meta.get(name)}
    text = message.text or ""
    return {
        "role": message.role.value,
        "text": text[:MAX_PROMPT] if level == "verbose" else {"chars": len(text)},
        **{name: summarize(value, level, name, depth) for name, value in told.items()},
    }


def _summarize_text(text: str, level: str, key: str) -> Any:
    if level == "verbose":
        return text[:MAX_TEXT]
    if level == MASKED and key in LABELS and len(text) <= MAX_LABEL:
        return text
    if level in ("minimal", MASKED) or key in TEXT_KEYS or len(text) > MAX_LABEL:
        return {"chars": len(text)}
    return text


def _is_documents(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and isinstance(value[0], Document)
