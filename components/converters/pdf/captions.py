"""Captions of figures and tables."""

import re
from collections.abc import Sequence

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.drafts import Draft

_CAPTION = re.compile(
    r"(?:figure|fig\.?|table|tab\.|chart|exhibit|plate|scheme|listing|algorithm|photo|illustration|abbildung|abb\.|tabelle|figura|tabla)"
    r"\s*(?:[A-Z]?\d+|[IVX]+\b|[A-Z]\b)(?:[.\-–]\d+)*\s*(?:[.:|–—)]|\s(?=[A-Z(])|$)"
    r"|(?:[续附]?[图表圖]|算法)\s*[\dA-Z一二三四五六七八九十]+(?:[.\-–—]\d+)*(?:\s|[：:.、]|(?=[^\d\s]))",
    re.IGNORECASE,
)
_FARTHEST = 60.0
_LONGEST = 1200


def is_caption(text: str) -> bool:
    """Whether a paragraph begins as captions do."""
    return len(text) <= _LONGEST and _CAPTION.match(text) is not None


def mark_captions(drafts: Sequence[Draft]) -> None:
    """Turn paragraphs into captions where a figure or table stands near, on the same page."""
    for draft in drafts:
        shown = [other for other in drafts if other.kind in {"figure", "table"}]
        named = draft.kind in {"paragraph", "heading", "list"} and is_caption(draft.text)
        if named and any(_near(draft.box, other.box) for other in shown):
            draft.kind, draft.level = "caption", 0


def caption_of(figure: Draft, drafts: Sequence[Draft]) -> Draft | None:
    """Return the caption nearest to a figure, or None; below it is looked first."""
    near = [draft for draft in drafts if draft.kind == "caption" and _near(draft.box, figure.box)]
    named = [draft for draft in near if not re.match(r"(?:tab|表)", draft.text, re.IGNORECASE)]
    return min(named, key=lambda draft: _distance(draft.box, figure.box), default=None)


def _near(caption: Box, other: Box) -> bool:
    beside = min(caption[2], other[2]) - max(caption[0], other[0])
    return beside > 0 and _distance(caption, other) <= _FARTHEST


def _distance(one: Box, other: Box) -> float:
    return max(one[1] - other[3], other[1] - one[3], 0.0)
