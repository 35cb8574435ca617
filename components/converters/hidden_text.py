"""A converted document without characters that hide or reorder its text."""

from bisect import bisect_left
from typing import Any

from khub.components.text.hidden_characters import hidden_places, without_hidden

NOTE = "characters that hide or reorder text"


def without_hidden_text(converted: dict[str, Any]) -> dict[str, Any]:
    """Return a converted document's fields without such characters; `removed` says how many the text had.

    :param converted: `text`, and maybe `page_starts`, `time_marks` and `blocks`, whose offsets move with it; of `title`
        and `metadata` the strings alone.
    """
    text: str = converted["text"]
    clean = {**converted, "text": without_hidden(text)}
    if converted.get("title"):
        clean["title"] = without_hidden(converted["title"]) or None
    if "metadata" in converted:
        clean["metadata"] = {without_hidden(key): _clean(value) for key, value in converted["metadata"].items()}
    if not (places := hidden_places(text)):
        return clean

    def moved(offset: int) -> int:
        return offset - bisect_left(places, offset)

    if "page_starts" in converted:
        clean["page_starts"] = [moved(start) for start in converted["page_starts"]]
    if "time_marks" in converted:
        clean["time_marks"] = [[moved(start), seconds] for start, seconds in converted["time_marks"]]
    if "blocks" in converted:
        clean["blocks"] = [
            {**block, "start": moved(block["start"]), "end": moved(block["end"])} for block in converted["blocks"]
        ]
    clean["removed"] = {**converted.get("removed", {}), NOTE: len(places)}
    return clean


def _clean(value: Any) -> Any:
    if isinstance(value, list):
        return [_clean(one) for one in value]
    return without_hidden(value) if isinstance(value, str) else value
