"""What the stages of a run asked language models, what these said, and how many tokens that took."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ModelCall:
    """A call of a model.

    :param prompt: as far as the trace keeps it; None where it keeps no texts.
    :param answer: as `prompt`.
    :param usage: tokens, and whatever else the model's server counts.
    """

    stage: str
    model: str
    ms: float
    prompt: str | None
    answer: str | None
    usage: Mapping[str, Any]


def model_calls(record: Mapping[str, Any]) -> list[ModelCall]:
    """Return the calls of a run: those that stages tell of, and those of stages that are models themselves."""
    return [call for stage in record.get("stages") or [] for call in _calls(stage)]


def _calls(stage: Mapping[str, Any]) -> Iterator[ModelCall]:
    name = str(stage.get("name"))
    for part in (stage.get("details") or {}).get("spans") or []:
        told = part.get("details") or {}
        if "prompt" in told or "usage" in told:
            yield _call(name, part, _texts([told.get("prompt")]), _texts([told.get("answer")]), told)
    prompt = _texts(_values(stage.get("input")))
    for reply in _messages(_values(stage.get("output"))):
        yield _call(name, stage, prompt, _text(reply["text"]) or "", reply)


def _call(name: str, timed: Mapping[str, Any], prompt: str, answer: str, told: Mapping[str, Any]) -> ModelCall:
    usage = told.get("usage")
    return ModelCall(
        name,
        _text(told.get("model")) or "",
        float(timed.get("ms") or 0),
        prompt or None,
        answer or None,
        usage if isinstance(usage, dict) and "count" not in usage else {},
    )


def _texts(lists: Iterable[Any]) -> str:
    return "\n\n".join(filter(None, (_text(message["text"]) for message in _messages(lists))))


def _values(sockets: Any) -> Iterable[Any]:
    return sockets.values() if isinstance(sockets, dict) else ()


def _messages(lists: Iterable[Any]) -> list[dict[str, Any]]:
    return [item for items in lists if isinstance(items, list) for item in items if _is_message(item)]


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and "role" in item and "text" in item


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
