"""Footnotes: small text at the foot of a page that a raised mark refers to."""

import re
from collections.abc import Sequence

from khub.components.converters.blocks import Box
from khub.components.converters.pdf.boxes import overlap
from khub.components.converters.pdf.drafts import Draft
from khub.components.converters.pdf.layout import Ruling

_MARK = re.compile(r"(\d{1,3}|[*†‡§¶]{1,3}|[①-⑳])")
_SMALLER = 0.95
_LOWER_PART = 0.4
_SHORT_RULE = 0.45
_MOSTLY = 0.5


def mark_footnotes(drafts: Sequence[Draft], rulings: Sequence[Ruling], size: float, page: tuple[float, float]) -> None:
    """Turn paragraphs into footnotes.

    :param drafts: of one page.
    :param rulings: of the page; a short one above small text parts footnotes from the text.
    :param size: font size of the running text.
    :param page: width and height.
    """
    figures = [draft.box for draft in drafts if draft.kind == "figure"]
    rule = _separator([line for line in rulings if not _within(line, figures)], drafts, size, page)
    for draft in drafts:
        if draft.kind not in {"paragraph", "list", "heading"} or draft.box[1] < _LOWER_PART * page[1]:
            continue
        if any(overlap(draft.box, figure) > _MOSTLY for figure in figures):
            continue
        small = draft.size <= _SMALLER * size
        under = rule is not None and draft.box[1] >= rule - 2
        first = draft.lines[0].words[0]
        mark = _MARK.fullmatch(first.text) if first.raised or under else None
        if mark and (small or under) and len(draft.text) > len(first.text) + 1:
            draft.kind, draft.level, draft.number = "footnote", 0, mark[1]
        elif under and small:
            draft.kind, draft.level = "footnote", 0


def _within(line: Ruling, figures: Sequence[Box]) -> bool:
    """Whether a line is part of a figure, as the axis of a chart is."""
    x, y = (line.x0 + line.x1) / 2, (line.top + line.bottom) / 2
    return any(box[0] - 2 <= x <= box[2] + 2 and box[1] - 2 <= y <= box[3] + 2 for box in figures)


def _separator(
    rulings: Sequence[Ruling], drafts: Sequence[Draft], size: float, page: tuple[float, float]
) -> float | None:
    for line in sorted(rulings, key=lambda each: -each.top):
        if line.top != line.bottom or line.top < _LOWER_PART * page[1] or line.x1 - line.x0 > _SHORT_RULE * page[0]:
            continue
        below = [draft for draft in drafts if draft.box[1] >= line.top - 2 and draft.lines and draft.box[0] < line.x1]
        if below and all(draft.size <= _SMALLER * size for draft in below) and line.x1 - line.x0 > 30:
            first = min(below, key=lambda draft: draft.box[1])
            if first.lines[0].words[0].raised or _MARK.fullmatch(first.lines[0].words[0].text):
                return line.top
    return None
