"""A block: one heading, paragraph, list, table … of a converted document, with its place on the page."""

from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["heading", "paragraph", "list", "table", "code", "figure", "caption", "footnote"]
Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a document.

    :param kind: what it is.
    :param text: its Markdown, exactly as it stands in the text of its page.
    :param page: page number, from 1.
    :param bbox: left, top, right, bottom in points; origin at the top left of the page as it is shown. None when the
        format has no places.
    :param level: 1 to 6 for a heading, else 0.
    """

    kind: BlockKind
    text: str
    page: int
    bbox: Box | None = None
    level: int = 0
