"""The title on the first slide with text, by the size of its letters."""

from collections.abc import Iterable, Iterator
from typing import Any

from khub.components.converters.office.package import q
from khub.components.converters.office.shown_title import ShownLine, shown_title

_TITLES = {"title", "ctrTitle"}
_NOT_CONTENT = {"dt", "ftr", "sldNum", "hdr", "sldImg"}
_TITLE_SIZE = 10_000
"""Larger than any letters: what is put into the place of the title comes first."""
_USUAL = 1800
"""Size in hundredths of a point where a slide says none."""


def cover_title(slides: Iterable[Any | None]) -> str | None:
    """Return the title of a presentation: what stands in the place for it, else the largest lines.

    :param slides: roots of the first slides, None where one is lost: the first that has text counts.
    """
    shown = (list(_lines(slide)) for slide in slides if slide is not None)
    return shown_title(next(filter(None, shown), []))


def _lines(slide: Any) -> Iterator[ShownLine]:
    for shape in slide.iter(q("p:sp")):
        holder = shape.find(f"{q('p:nvSpPr')}/{q('p:nvPr')}/{q('p:ph')}")
        kind = None if holder is None else holder.get("type")
        if kind in _NOT_CONTENT:
            continue
        found = [(_text(paragraph), _size(paragraph)) for paragraph in shape.iter(q("a:p"))]
        if kind in _TITLES:
            found = [(" ".join(text for text, _ in found), _TITLE_SIZE)]
        yield from (ShownLine(" ".join(text.split()), size) for text, size in found if text.strip())


def _text(paragraph: Any) -> str:
    return "".join(" " if one.tag == q("a:br") else one.text or "" for one in paragraph.iter(q("a:t"), q("a:br")))


def _size(paragraph: Any) -> int:
    sizes = [int(look.get("sz")) for look in paragraph.iter(q("a:rPr")) if (look.get("sz") or "").isdecimal()]
    return max(sizes, default=_USUAL)
