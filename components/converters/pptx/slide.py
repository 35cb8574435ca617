"""One slide as Markdown."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from khub.components.converters.docx.drawings import alternative, clean_alt
from khub.components.converters.docx.tables import table_with_caption
from khub.components.converters.markdown_table import Cell, one_line
from khub.components.converters.office.charts import chart_table, diagram_text
from khub.components.converters.office.package import NAMES, Package, Relation, q
from khub.components.converters.office.pictures import PictureCollector, digest
from khub.components.converters.pptx.reading_order import Box, reading_order
from khub.components.converters.pptx.text_frame import frame_markdown, plain_line

_TITLES = {"title", "ctrTitle"}
_NOT_CONTENT = {"dt", "ftr", "sldNum", "hdr", "sldImg"}
_BULLETED = {"body", "obj", "", None}
_SHAPES = {q("p:sp"), q("p:pic"), q("p:graphicFrame"), q("p:grpSp"), q("p:cxnSp")}
_MAX_DEPTH = 20
_EMU = 12_700


@dataclass(slots=True)
class _Shape:
    element: Any
    holder: Any | None
    box: Box | None


class SlideReader:
    """Reads the slides of one file.

    :param package: the file.
    :param decoration: digests of pictures to leave out, such as a logo on every slide.
    """

    def __init__(self, package: Package, decoration: set[bytes]) -> None:
        self._package = package
        self._decoration = decoration
        self._boxes: dict[str, list[tuple[str | None, str | None, Box]]] = {}

    def read(self, part: str, pictures: PictureCollector) -> str:
        """Read one slide.

        :param part: the slide's part.
        :param pictures: takes its pictures.
        :returns: its title as a heading, its content in reading order, its notes under "### Notes".
        """
        root = self._package.xml(part)
        tree = None if root is None else root.find("p:cSld/p:spTree", NAMES)
        if root is None or tree is None:
            return ""
        shapes = list(self._shapes(tree, part))
        title = next((shape for shape in shapes if _kind(shape.holder) in _TITLES), None)
        heading = self._text(title.element) if title else ""
        blocks = [f"# {heading}"] if heading else []
        if root.get("show") in {"0", "false"}:
            blocks.append("(hidden slide)")
        rest = [s for s in shapes if s is not title and _kind(s.holder) not in _NOT_CONTENT]
        for shape in reading_order(rest, lambda one: one.box):
            blocks += self._content(shape.element, shape.holder, part, pictures)
        notes = self._notes(part)
        return "\n\n".join([*blocks, *(["### Notes", notes] if notes else [])])

    def _shapes(self, tree: Any, part: str) -> Iterator[_Shape]:
        for element in _children(tree):
            holder = element.find("./*/p:nvPr/p:ph", NAMES)
            yield _Shape(element, holder, _box(element) or self._inherited(holder, part))

    def _inherited(self, holder: Any | None, part: str) -> Box | None:
        layouts = self._package.related(part, "slideLayout")
        if holder is None or not layouts:
            return None
        if layouts[0] not in self._boxes:
            root = self._package.xml(layouts[0])
            found = [] if root is None else root.iterfind(".//p:sp", NAMES)
            holders = [(sp.find("./*/p:nvPr/p:ph", NAMES), _box(sp)) for sp in found]
            self._boxes[layouts[0]] = [
                (h.get("type"), h.get("idx"), box) for h, box in holders if h is not None and box
            ]
        known = self._boxes[layouts[0]]
        exact = (box for kind, number, box in known if number == holder.get("idx") and number is not None)
        alike = (box for kind, number, box in known if kind == holder.get("type") and kind is not None)
        return next(exact, next(alike, None))

    def _content(
        self, element: Any, holder: Any | None, part: str, pictures: PictureCollector, depth: int = 0
    ) -> list[str]:
        if element.tag == q("p:grpSp"):
            inside = [(child, _box(child)) for child in _children(element)] if depth < _MAX_DEPTH else []
            ordered = reading_order(inside, lambda one: one[1])
            return [text for child, _ in ordered for text in self._content(child, None, part, pictures, depth + 1)]
        if element.tag == q("p:graphicFrame"):
            return self._graphic(element, part)
        if element.tag == q("p:pic"):
            return self._picture(element, part, pictures)
        body = element.find(q("p:txBody"))
        if body is None:
            return []
        bulleted = holder is not None and _kind(holder) in _BULLETED
        text = frame_markdown(body, self._links(part), bulleted)
        return [text] if text else []

    def _graphic(self, element: Any, part: str) -> list[str]:
        table = element.find(".//a:tbl", NAMES)
        if table is not None:
            return [text for text in [_table(table)] if text]
        relations = self._package.relations(part)
        found = []
        for chart in element.iter(q("c:chart"), q("dgm:relIds")):
            is_chart = chart.tag == q("c:chart")
            relation = relations.get(chart.get(q("r:id" if is_chart else "r:dm")) or "")
            if relation and not relation.external:
                found.append((chart_table if is_chart else diagram_text)(self._package, relation.target))
        alt = _alt(element)
        return [text for text in [*found, alt] if text]

    def _picture(self, element: Any, part: str, pictures: PictureCollector) -> list[str]:
        blip = element.find(".//a:blip", NAMES)
        relation: Relation | None = None
        if blip is not None:
            relation = self._package.relations(part).get(blip.get(q("r:embed")) or "")
        data = self._package.read(relation.target) if relation and not relation.external else None
        alt = _alt(element)
        if data is not None and digest(data) in self._decoration:
            return []
        return [text for text in (pictures.add(data, alt), alt) if text]

    def _notes(self, part: str) -> str:
        for notes in self._package.related(part, "notesSlide"):
            root = self._package.xml(notes)
            for element in () if root is None else root.iterfind(".//p:sp", NAMES):
                body = element.find(q("p:txBody"))
                if body is not None and _kind(element.find("./*/p:nvPr/p:ph", NAMES)) == "body":
                    return frame_markdown(body, self._links(notes), bulleted=False)
        return ""

    def _text(self, element: Any) -> str:
        body = element.find(q("p:txBody"))
        return "" if body is None else plain_line(body)

    def _links(self, part: str) -> dict[str, str]:
        found = self._package.relations(part).items()
        return {key: relation.target for key, relation in found if relation.external and relation.kind == "hyperlink"}


def pictures_of(package: Package, part: str) -> set[bytes]:
    """Return the digests of the pictures that a slide shows."""
    found = (package.read(target) for target in package.related(part, "image"))
    return {digest(data) for data in found if data}


def _children(tree: Any) -> Iterator[Any]:
    for element in tree:
        if element.tag in _SHAPES:
            yield element
        elif element.tag == q("mc:AlternateContent"):
            branch = alternative(element)
            yield from _children(branch) if branch is not None else ()


def _kind(holder: Any | None) -> str | None:
    """Return the type of a placeholder: "" for one without a type, None for no placeholder."""
    return None if holder is None else str(holder.get("type") or "")


def _box(element: Any) -> Box | None:
    where = next(element.iter(q("a:xfrm"), q("p:xfrm")), None)
    offset, size = (None, None) if where is None else (where.find(q("a:off")), where.find(q("a:ext")))
    if offset is None or size is None:
        return None
    try:
        left, top = int(offset.get("x")) / _EMU, int(offset.get("y")) / _EMU
        return left, top, left + int(size.get("cx")) / _EMU, top + int(size.get("cy")) / _EMU
    except (TypeError, ValueError):
        return None


def _alt(element: Any) -> str:
    properties = element.find("./*/p:cNvPr", NAMES)
    return clean_alt(None if properties is None else properties.get("descr") or properties.get("title"))


def _table(table: Any) -> str:
    rows = []
    for row in table.iter(q("a:tr")):
        cells = [
            Cell(
                one_line(frame_markdown(cell, {}, bulleted=False)),
                int(cell.get("gridSpan") or 1),
                int(cell.get("rowSpan") or 1),
            )
            for cell in row.iter(q("a:tc"))
            if cell.get("hMerge") not in {"1", "true"} and cell.get("vMerge") not in {"1", "true"}
        ]
        rows.append(cells)
    return table_with_caption(rows)
