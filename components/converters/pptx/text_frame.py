"""Text of a shape as paragraphs and lists."""

import re
from collections.abc import Iterator
from typing import Any

from markitdown.converter_utils.docx.math.omml import oMath2Latex

from khub.components.converters.docx.spans import TYPED_NUMBER, Span, to_markdown
from khub.components.converters.office.package import q

_TYPED_BULLET = re.compile(r"^[•·▪◦‣]\s*(?=\S)")
_TAGS = {q("a:r"), q("a:fld")}
_MATH = {q("m:oMath")}


def frame_markdown(frame: Any, links: dict[str, str], bulleted: bool) -> str:
    """Write the text of a shape.

    :param frame: `p:txBody`, `a:txBody` or `p:txXfrm`.
    :param links: addresses by the id of their relation.
    :param bulleted: whether paragraphs are items of a list unless they say otherwise, as in a body placeholder.
    :returns: the Markdown, "" when there is no text.
    """
    parts: list[str] = []
    was_item = False
    for depth, mark, text in _paragraphs(frame, links, bulleted):
        if mark is not None:
            line = "   " * depth + mark + text.replace("\n", " ")
            parts.append(("\n" if was_item else "\n\n") + line)
        else:
            parts.append("\n\n" + text)
        was_item = mark is not None
    return "".join(parts).strip("\n")


def plain_line(frame: Any) -> str:
    """Return the text of a shape on one line, without its looks."""
    return " ".join(" ".join(text for _, _, text in _paragraphs(frame, {}, False, emphasis=False)).split())


def _paragraphs(
    frame: Any, links: dict[str, str], bulleted: bool, emphasis: bool = True
) -> Iterator[tuple[int, str | None, str]]:
    count: dict[int, int] = {}
    found = [
        (paragraph.find(q("a:pPr")), to_markdown(_spans(paragraph, links), emphasis))
        for paragraph in frame.iter(q("a:p"))
    ]
    # One paragraph alone is no list, whatever its placeholder would make of it.
    bulleted = bulleted and sum(bool(text) for _, text in found) > 1
    for properties, given in found:
        if not given:
            continue
        text = _TYPED_BULLET.sub("", given)
        depth = int(properties.get("lvl") or 0) if properties is not None else 0
        for deeper in [d for d in count if d > depth]:
            del count[deeper]
        kind = _bullet(properties, bulleted)
        if kind == "number":
            start = properties.find(q("a:buAutoNum")).get("startAt")
            count[depth] = count.get(depth, int(start or 1) - 1) + 1
        if kind != "number" and text != given:
            kind = "bullet"
        if kind == "bullet" and TYPED_NUMBER.match(text):
            kind = "typed"
        yield depth, {"typed": "", "number": f"{count.get(depth, 1)}. ", "bullet": "* "}.get(kind), text


def _bullet(properties: Any | None, bulleted: bool) -> str:
    if properties is not None:
        if properties.find(q("a:buNone")) is not None:
            return ""
        if properties.find(q("a:buAutoNum")) is not None:
            return "number"
        if properties.find(q("a:buChar")) is not None or properties.find(q("a:buBlip")) is not None:
            return "bullet"
    return "bullet" if bulleted else ""


def _spans(paragraph: Any, links: dict[str, str]) -> list[Span]:
    spans = []
    for element in paragraph.iter():
        if element.tag == q("a:br"):
            spans.append(Span("\n"))
        elif element.tag in _MATH:
            spans.append(Span(f"${_latex(element)}$"))
        elif element.tag in _TAGS:
            look = element.find(q("a:rPr"))
            link = None if look is None else look.find(q("a:hlinkClick"))
            address = "" if link is None else links.get(link.get(q("r:id")) or "", "")
            text = (element.findtext(q("a:t")) or "").replace("\v", "\n")
            if look is None:
                spans.append(Span(text, address=address))
                continue
            strike = look.get("strike") in {"sngStrike", "dblStrike"}
            raised = not (look.get("baseline") or "0").startswith(("0", "-"))
            spans.append(Span(text, look.get("b") == "1", look.get("i") == "1", strike, address, raised))
    return spans


def _latex(formula: Any) -> str:
    try:
        return str(oMath2Latex(formula).latex).strip()
    except Exception:  # the words of a formula that the library cannot write are better than none
        return "".join(text.text or "" for text in formula.iter(q("m:t")))
