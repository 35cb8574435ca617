"""What a drawing in a Word file shows: pictures, charts, diagrams, and boxes with text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from khub.components.converters.office.charts import chart_table, diagram_text
from khub.components.converters.office.package import NAMES, Package, q
from khub.components.converters.office.pictures import PictureCollector

_MACHINE_ALT = re.compile(
    r"(?:(?<![\s.])[\s.]++)?(description automatically generated( with \w+ confidence)?"
    r"|ai-generated content may be incorrect\.?"
    r"|描述已自动生成|已自动生成(说明|描述)|\bai 生成的内容可能不正确[。.]?|中度可信度描述已自动生成)\s*$",
    re.IGNORECASE,
)
_NO_ALT = re.compile(
    r"(picture|image|grafik|图片|圖片|图像|content placeholder|图表|chart|diagram"
    r"|\S+\.(png|jpe?g|gif|emf|wmf|svg|tiff?))"
    r"[\s\d]*|[\W\d_]*",
    re.IGNORECASE,
)
_DRAWINGS = {q("w:drawing"), q("w:pict"), q("w:object")}


@dataclass(slots=True)
class Drawn:
    """What was found in drawings.

    :param blocks: Markdown blocks: picture marks, alternative texts, tables of charts.
    :param boxes: `w:txbxContent` elements, whose content is that of a document.
    """

    blocks: list[str] = field(default_factory=list)
    boxes: list[Any] = field(default_factory=list)


def is_drawing(element: Any) -> bool:
    """Whether an element of a run is a drawing."""
    return element.tag in _DRAWINGS


def alternative(content: Any) -> Any | None:
    """Return the branch of `mc:AlternateContent` to read: the newer one."""
    choice = content.find(q("mc:Choice"))
    return choice if choice is not None and len(choice) else content.find(q("mc:Fallback"))


def clean_alt(text: str | None) -> str:
    """Return an alternative text without what a program adds; "" for a mere name."""
    line = _MACHINE_ALT.sub("", " ".join((text or "").split()))
    return "" if _NO_ALT.fullmatch(line) else line


def read_drawing(drawing: Any, package: Package, part: str, pictures: PictureCollector) -> Drawn:
    """Read one drawing.

    :param drawing: `w:drawing`, `w:pict` or `w:object`.
    :param package: the file.
    :param part: the part that holds the drawing.
    :param pictures: takes its pictures.
    :returns: what it shows, in the order of the file.
    """
    drawn = Drawn()
    relations = package.relations(part)
    properties = drawing.find(".//wp:docPr", NAMES)
    alt = clean_alt(None if properties is None else properties.get("descr") or properties.get("title"))
    for element in _walk(drawing):
        if element.tag == q("w:txbxContent"):
            drawn.boxes.append(element)
            continue
        relation = relations.get(_reference(element))
        if relation is None or relation.external:
            continue
        if element.tag == q("c:chart"):
            _add(drawn, chart_table(package, relation.target))
        elif element.tag == q("dgm:relIds"):
            _add(drawn, diagram_text(package, relation.target))
        else:
            own = clean_alt(
                element.get("title") or element.get(f"{{{'urn:schemas-microsoft-com:office:office'}}}title")
            )
            _add(drawn, pictures.add(package.read(relation.target), alt or own))
    _add(drawn, alt)
    return drawn


def _walk(element: Any) -> Iterator[Any]:
    for child in element:
        if child.tag == q("mc:AlternateContent"):
            branch = alternative(child)
            if branch is not None:
                yield from _walk(branch)
            continue
        yield child
        if child.tag != q("w:txbxContent"):
            yield from _walk(child)


def _reference(element: Any) -> str:
    names = {
        q("a:blip"): ("r:embed", "r:link"),
        q("v:imagedata"): ("r:id",),
        q("c:chart"): ("r:id",),
        q("dgm:relIds"): ("r:dm",),
    }
    found = (element.get(q(name)) for name in names.get(element.tag, ()))
    return next((name for name in found if name), "")


def _add(drawn: Drawn, block: str) -> None:
    if block:
        drawn.blocks.append(block)
