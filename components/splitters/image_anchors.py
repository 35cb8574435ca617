"""The marks that stand in a document's text where its pictures are."""

import re

_ANCHOR = re.compile(r"\[IMAGE: ([^\[\]\s]++)\]")
_OPENING = "[IMAGE: "
_LONGEST = 300


def image_refs(text: str) -> list[str]:
    """Return the ids of the pictures whose whole mark is in the text, in order, each once."""
    return list(dict.fromkeys(_ANCHOR.findall(text))) if _OPENING in text else []


def anchor_around(text: str, offset: int) -> tuple[int, int] | None:
    """Return start and end of the mark that a cut at `offset` would tear apart, or None."""
    start = text.rfind(_OPENING[0], max(offset - _LONGEST, 0), offset)
    match = _ANCHOR.match(text, start) if start >= 0 else None
    return match.span() if match and match.end() > offset else None
