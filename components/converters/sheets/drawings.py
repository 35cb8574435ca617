"""What lies over the cells of a sheet: charts' titles, text boxes and pictures."""

from typing import Any

from khub.components.converters.docx.drawings import clean_alt
from khub.components.converters.office.package import NAMES, Package, q
from khub.components.converters.office.pictures import PictureCollector
from khub.components.converters.pptx.text_frame import frame_markdown

_XDR = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"


def sheet_drawings(package: Package, part: str, pictures: PictureCollector) -> list[str]:
    """Read a sheet's drawings; a chart gives its title only, since its numbers stand in cells.

    :param package: the workbook.
    :param part: the sheet's part.
    :param pictures: takes the pictures.
    :returns: Markdown blocks.
    """
    blocks: list[str] = []
    for drawing in package.related(part, "drawing"):
        root = package.xml(drawing)
        if root is None:
            continue
        for content in list(root.iter(q("mc:AlternateContent"))):
            for older in content.findall(q("mc:Fallback")) if content.find(q("mc:Choice")) is not None else ():
                content.remove(older)
        relations = package.relations(drawing)
        for element in root.iter(f"{_XDR}pic", f"{_XDR}sp", q("c:chart")):
            if element.tag == f"{_XDR}sp":
                body = element.find(f"{_XDR}txBody")
                blocks.append("" if body is None else frame_markdown(body, {}, bulleted=False))
                continue
            holder = element.find(".//a:blip", NAMES) if element.tag == f"{_XDR}pic" else element
            key = None if holder is None else holder.get(q("r:embed")) or holder.get(q("r:id"))
            relation = relations.get(key or "")
            if relation is None or relation.external:
                continue
            if element.tag == q("c:chart"):
                title = _chart_title(package, relation.target)
                blocks.append(f"Chart: {title}" if title else "")
            else:
                properties = element.find(f"{_XDR}nvPicPr/{_XDR}cNvPr")
                alt = clean_alt(None if properties is None else properties.get("descr"))
                blocks += [pictures.add(package.read(relation.target), alt), alt]
    return [block for block in blocks if block]


def _chart_title(package: Package, part: str) -> str:
    root: Any | None = package.xml(part)
    title = None if root is None else root.find("c:chart/c:title", NAMES)
    return "" if title is None else " ".join("".join(t.text or "" for t in title.iter(q("a:t"))).split())
