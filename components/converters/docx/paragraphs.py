"""Paragraphs of a Word file: their text as it is shown, and what hangs on it."""

import re
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree.ElementTree import Element

from markitdown.converter_utils.docx.math.omml import oMath2Latex

from khub.components.converters.docx.drawings import Drawn, alternative, is_drawing, read_drawing
from khub.components.converters.docx.spans import Span, plain_text
from khub.components.converters.docx.styles import Styles, is_on, value
from khub.components.converters.office.package import NAMES, Package, q
from khub.components.converters.office.pictures import PictureCollector

_LEFT_OUT = {q("w:del"), q("w:moveFrom"), q("w:delText"), q("w:rPr"), q("w:pPr"), q("w:sdtPr"), q("w:comment")}
_COMMENTED = (q("w:commentRangeStart"), q("w:commentRangeEnd"))
_BREAKS = {q("w:br"), q("w:cr")}
_SIGNS = {q("w:tab"): " ", q("w:ptab"): " ", q("w:noBreakHyphen"): "-", q("w:softHyphen"): ""}
_SYMBOLS = {
    0xFE: "☒",
    0x78: "☒",
    0xFD: "☒",
    0xA8: "☐",
    0x6F: "☐",
    0xFC: "✓",
    0xFB: "✗",
    0xE0: "→",
    0xB7: "•",
    0xA7: "▪",
}
_ADDRESS = re.compile(r'\bHYPERLINK\s+(?!\\l)"?([^"\s]+)"?')
_FOLLOWED = re.compile(r"(?:https?|ftp|mailto):", re.IGNORECASE)
_NOTE = re.compile(r"\[\^")
_CHECKBOX = "{http://schemas.microsoft.com/office/word/2010/wordml}"


@dataclass(slots=True)
class ParagraphText:
    """What one paragraph shows.

    :param spans: its text.
    :param drawn: its pictures, charts and boxes.
    :param notes: footnotes, endnotes and comments it refers to: ("footnote" | "endnote" | "comment", id).
    :param commented: the words that a comment is about, by its id, where they stand in one paragraph.
    """

    spans: list[Span] = field(default_factory=list)
    drawn: Drawn = field(default_factory=Drawn)
    notes: list[tuple[str, str]] = field(default_factory=list)
    commented: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Field:
    instruction: str = ""
    in_result: bool = False


class ParagraphReader:
    """Reads paragraphs of one part in order; a field may begin in one and end in a later one.

    :param package: the file.
    :param part: the part that holds the paragraphs.
    :param styles: of the file.
    :param pictures: takes its pictures.
    :param note_label: gives the label of a note by its kind and id.
    """

    def __init__(
        self, package: Package, part: str, styles: Styles, pictures: PictureCollector, note_label: Any = None
    ) -> None:
        self._package, self._part, self._styles, self._pictures = package, part, styles, pictures
        self._note_label = note_label
        self._fields: list[_Field] = []
        self._begun: dict[str, int] = {}

    def read(self, paragraph: Any) -> ParagraphText:
        """Read one `w:p`."""
        found = ParagraphText()
        self._begun = {}
        self._children(paragraph, found, "")
        return found

    def _children(self, element: Any, found: ParagraphText, address: str) -> None:
        for child in element:
            if child.tag not in _LEFT_OUT:
                self._child(child, found, address)

    def _child(self, child: Any, found: ParagraphText, address: str) -> None:
        if child.tag == q("w:r"):
            self._run(child, found, address)
        elif child.tag == q("w:hyperlink"):
            self._children(child, found, self._target(child) or address)
        elif child.tag == q("w:fldSimple"):
            self._children(child, found, _field_address(child.get(q("w:instr")) or "") or address)
        elif child.tag in {q("m:oMath"), q("m:oMathPara")}:
            found.spans.append(Span(_formula(child)))
        elif child.tag == q("mc:AlternateContent"):
            if (branch := alternative(child)) is not None:
                self._children(branch, found, address)
        elif child.tag == q("w:sdt"):
            self._control(child, found, address)
        elif child.tag in _COMMENTED:
            self._commented_words(child, found)
        elif child.tag != q("w:p"):
            self._children(child, found, address)

    def _commented_words(self, end: Any, found: ParagraphText) -> None:
        number = end.get(q("w:id")) or ""
        if end.tag == _COMMENTED[0]:
            self._begun[number] = len(found.spans)
        elif number in self._begun:
            found.commented[number] = plain_text(found.spans[self._begun[number] :])

    def _control(self, control: Any, found: ParagraphText, address: str) -> None:
        checkbox = control.find(f"{q('w:sdtPr')}/{_CHECKBOX}checkbox")
        if checkbox is None:
            self._children(control, found, address)
            return
        checked = checkbox.find(f"{_CHECKBOX}checked")
        on = checked is not None and is_on(checked.get(f"{_CHECKBOX}val", "1"))
        found.spans.append(Span("[x]" if on else "[ ]"))

    def _run(self, run: Any, found: ParagraphText, address: str) -> None:
        look = run.find(q("w:rPr"))
        if look is not None and (_on(look, "w:vanish") or _on(look, "w:webHidden")):
            return
        style = value(look.find(q("w:rStyle"))) if look is not None else None
        strong = self._styles.of(style) if style else None
        bold = _on(look, "w:b", strong is not None and strong.level == 0 and strong.bold)
        italic = _on(look, "w:i", strong is not None and strong.italic)
        strike = _on(look, "w:strike") or _on(look, "w:dstrike")
        align = value(look.find(q("w:vertAlign"))) if look is not None else None
        raised = strong is not None and strong.raised if align is None else align == "superscript"
        before = len(found.spans)
        for child in run:
            self._piece(child, found, address, (bold, italic, strike))
        if raised:
            found.spans[before:] = [replace(span, raised=not _NOTE.match(span.text)) for span in found.spans[before:]]

    def _piece(self, child: Any, found: ParagraphText, address: str, look: tuple[bool, bool, bool]) -> None:
        if child.tag == q("w:fldChar"):
            self._field_character(child, found)
        elif child.tag == q("w:instrText"):
            if self._fields and not self._fields[-1].in_result:
                self._fields[-1].instruction += child.text or ""
        elif child.tag in {q("w:footnoteReference"), q("w:endnoteReference")}:
            self._note(child, found)
        elif child.tag == q("w:commentReference"):
            found.notes.append(("comment", child.get(q("w:id")) or ""))
        elif is_drawing(child):
            drawn = read_drawing(child, self._package, self._part, self._pictures)
            found.drawn.blocks += drawn.blocks
            found.drawn.boxes += drawn.boxes
        elif child.tag == q("mc:AlternateContent"):
            branch = alternative(child)
            for inner in [] if branch is None else branch:
                self._piece(inner, found, address, look)
        else:
            self._text(child, found, address, look)

    def _text(self, child: Any, found: ParagraphText, address: str, look: tuple[bool, bool, bool]) -> None:
        if any(not one.in_result for one in self._fields):
            return
        if child.tag == q("w:ruby"):
            base, reading = (_words(child.find(q(name))) for name in ("w:rubyBase", "w:rt"))
            text = f"{base}({reading})" if reading else base
        else:
            text = _character(child)
        if text:
            inside = next((a for one in reversed(self._fields) if (a := _field_address(one.instruction))), "")
            found.spans.append(Span(text, *look, address or inside))

    def _field_character(self, element: Any, found: ParagraphText) -> None:
        kind = element.get(q("w:fldCharType"))
        if kind == "begin":
            self._fields.append(_Field())
            box = element.find(f"{q('w:ffData')}/{q('w:checkBox')}")
            if box is not None:
                state = box.find(q("w:checked"))
                state = box.find(q("w:default")) if state is None else state
                found.spans.append(Span("[x]" if state is not None and is_on(state.get(q("w:val"), "1")) else "[ ]"))
        elif kind == "separate" and self._fields:
            self._fields[-1].in_result = True
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _note(self, reference: Any, found: ParagraphText) -> None:
        kind = "footnote" if reference.tag == q("w:footnoteReference") else "endnote"
        key = (kind, reference.get(q("w:id")) or "")
        label = self._note_label(*key) if self._note_label else None
        if label:
            found.spans.append(Span(f"[^{label}]"))
            found.notes.append(key)

    def _target(self, link: Any) -> str:
        relation = self._package.relations(self._part).get(link.get(q("r:id")) or "")
        return relation.target if relation and relation.external and _FOLLOWED.match(relation.target) else ""


def _character(element: Any) -> str:
    if element.tag == q("w:t"):
        return element.text or ""
    if element.tag in _BREAKS:
        return "\n"
    if element.tag == q("w:sym"):
        try:
            code = int(element.get(q("w:char")) or "", 16)
        except ValueError:
            return ""
        code = code & 0xFF if 0xF000 <= code <= 0xF0FF else code
        named = "wingdings" in (element.get(q("w:font")) or "").lower()
        return _SYMBOLS.get(code, "") if named or code < 0x20 else chr(code)
    return _SIGNS.get(element.tag, "")


def _on(look: Any | None, name: str, otherwise: bool = False) -> bool:
    found = None if look is None else look.find(q(name))
    return otherwise if found is None else is_on(found.get(q("w:val"), "1"))


def _field_address(instruction: str) -> str:
    found = _ADDRESS.search(instruction)
    return found[1] if found and _FOLLOWED.match(found[1]) else ""


def _words(element: Any | None) -> str:
    return "" if element is None else "".join(text.text or "" for text in element.iter(q("w:t")))


def _formula(element: Any) -> str:
    formulas = element.findall(q("m:oMath")) if element.tag == q("m:oMathPara") else [element]
    mark = "$$" if element.tag == q("m:oMathPara") else "$"
    return "\n".join(f"{mark}{_latex(formula)}{mark}" for formula in formulas)


def _latex(formula: Element) -> str:
    try:
        latex = oMath2Latex(formula).latex.strip()
    except Exception:  # the words of a formula that the library cannot write are better than none
        latex = ""
    return latex or "".join(text.text or "" for text in formula.iterfind(".//m:t", NAMES))
