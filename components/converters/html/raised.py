"""Raised characters of a page: exponents, marks of notes, endings."""

import re

from bs4 import NavigableString, Tag
from bs4.element import PreformattedString

from khub.components.text.raised_text import write_raised

_RAISED_STYLE = re.compile(r"vertical-align\s*:\s*(?:super|text-top)", re.IGNORECASE)
_RAISED_CLASSES = {"sup", "super", "superscript"}
_NOTE_MARK = re.compile(r"\w{1,4}")
_WORD = re.compile(r"[^\W\d_]{3}|[\u3400-\u9fff]")
_INLINE = {
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "label", "mark", "q",
    "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
}  # fmt: skip


def is_raised(element: Tag) -> bool:
    """Say whether an element without a meaning of its own is set as `sup` is."""
    return bool(
        _RAISED_STYLE.search(str(element.get("style") or ""))
        or not _RAISED_CLASSES.isdisjoint(element.get_attribute_list("class"))
    )


def is_note_link(link: Tag) -> bool:
    """Say whether a link is the mark of a note, as books have them; many are raised by their style sheet alone."""
    return link.get("role") == "doc-noteref" or "noteref" in str(link.get("epub:type") or "").split()


def raised_markdown(element: Tag, text: str) -> str:
    """Write a raised element.

    :param element: the element.
    :param text: what is in it, as Markdown.
    :returns: `[^1]` for a mark behind a word that leads to its note; else as `write_raised` does.
    """
    around = element if element.name == "a" else element.find_parent("a")
    links = [around] if around else element.find_all("a", href=True)
    plain, before = element.get_text().strip(), _text_before(element)
    is_link = any("#" in str(link.get("href")) for link in links)
    if is_link and _NOTE_MARK.fullmatch(plain) and not before[-1:].isspace():
        written = f"[^{plain}]"
    elif element.find(["b", "strong", "i", "em"]) and not links:
        written = write_raised(element.get_text(), before)
    else:
        written = write_raised(text, before)
    # The mark of a note at its own beginning must not run into its first word.
    begins = not before and plain.isdigit() and _WORD.match(str(element.next_sibling or ""))
    return f"{written} " if begins else written


def _text_before(element: Tag) -> str:
    """Return the nearest text before an element on its line; "" at the beginning of a block."""
    place: Tag | None = element
    while place is not None and (place is element or place.name in _INLINE):
        for sibling in place.previous_siblings:
            if isinstance(sibling, Tag):
                if sibling.name not in _INLINE:
                    return ""
                text = sibling.get_text()
            elif isinstance(sibling, NavigableString) and not isinstance(sibling, PreformattedString):
                text = str(sibling)
            else:
                continue
            if text:
                return text
        place = place.parent
    return ""
