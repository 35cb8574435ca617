"""Formatted text of a paragraph as Markdown."""

import re
from dataclasses import dataclass, replace
from itertools import groupby

from khub.components.text.raised_text import write_raised

_STRUCTURE = re.compile(r"^(?=#{1,6}(?:\s|$)|>|`{3}|~{3}|(?:-{3,}|={2,})\s*$)", re.MULTILINE)
TYPED_NUMBER = re.compile(r"\d{1,3}[.)]\s")
"""The number of a list's item, written by hand: a mark before it would make another list of it."""

_SPACE = re.compile(r"[^\S\n]+")


@dataclass(frozen=True, slots=True)
class Span:
    """Text of one look.

    :param text: as it is shown; a line break within the paragraph is a line feed.
    :param bold: whether it is bold.
    :param italic: whether it is italic.
    :param strike: whether it is struck through.
    :param address: where it leads, or "".
    :param raised: whether it is raised, as an exponent is.
    """

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    address: str = ""
    raised: bool = False


def plain_text(spans: list[Span]) -> str:
    """Return the text without its looks and links."""
    return _tidy("".join(span.text for span in lowered(spans)))


def to_markdown(spans: list[Span], emphasis: bool = True) -> str:
    """Write spans as Markdown, so that what begins a line does not become a heading, a quote or a code block.

    :param spans: in order.
    :param emphasis: whether bold, italic and struck text is marked.
    :returns: the text, without white space at its ends.
    """
    spans = lowered(spans)
    if not emphasis:
        spans = [replace(span, bold=False, italic=False, strike=False) for span in spans]
    # A link whose words differ in looks stays one link.
    text = "".join(_link(address, list(group)) for address, group in groupby(spans, lambda span: span.address))
    return _STRUCTURE.sub(r"\\", _tidy(text))


def lowered(spans: list[Span]) -> list[Span]:
    """Write what is raised with the signs of plain text; a program may cut one exponent into several spans."""
    written: list[Span] = []
    before = ""
    for raised, group in groupby(spans, lambda span: span.raised):
        found = list(group)
        if raised:
            text = write_raised("".join(span.text for span in found), before)
            found = [replace(found[0], text=text, raised=False)]
        written += found
        before = "".join([before[-1:], *(span.text for span in found)])
    return written


def _link(address: str, spans: list[Span]) -> str:
    text = "".join(
        _marked(first, "".join(span.text for span in [first, *rest]))
        for first, *rest in (list(g) for _, g in groupby(spans, lambda s: (s.bold, s.italic, s.strike)))
    )
    if not address or not text.strip() or text.strip() == address:
        return text
    return _around(text, "[", f"](<{address}>)" if re.search(r"[\s()]", address) else f"]({address})")


def _marked(span: Span, text: str) -> str:
    # A mark around punctuation alone would only be noise.
    if not re.search(r"\w", text):
        return text
    if span.strike:
        text = _around(text, "~~", "~~")
    mark = "*" * (2 * span.bold + span.italic)
    return _around(text, mark, mark) if mark else text


def _around(text: str, before: str, after: str) -> str:
    inner = text.strip()
    start = text.index(inner)
    return f"{text[:start]}{before}{inner}{after}{text[start + len(inner) :]}"


def _tidy(text: str) -> str:
    return "\n".join(line.strip(" ") for line in _SPACE.sub(" ", text).split("\n")).strip()
