"""Paragraph styles of a Word file: which are headings, which belong to a list."""

import re
from dataclasses import dataclass
from typing import Any

from khub.components.converters.office.package import q

_HEADING_NAME = re.compile(
    r"(?:heading|überschrift|titre|título|titulo|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|címsor|başlık"
    r"|заголовок|επικεφαλίδα|標題|标题|見出し|제목|titlu|judul|tiêu đề)\s*([1-9])",
    re.IGNORECASE,
)
_TITLE_NAMES = {"title", "titel", "titre", "título", "titolo", "标题", "標題", "表題", "제목", "название", "документ"}
_CONTENTS_NAME = re.compile(r"(?:toc|verzeichnis|tm|目录|目錄|目次)\s*[1-9]", re.IGNORECASE)
_CAPTION_NAMES = {
    "caption",
    "题注",
    "題注",
    "圖表標題",
    "图表标题",
    "図表番号",
    "beschriftung",
    "légende",
    "descripción",
}
_MAX_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph inherits from its style and those on which that is based.

    :param name: its name in lower case.
    :param level: 1 to 9 for a heading, by name or outline level; 0 for other text.
    :param num_id: the list it belongs to; None for none.
    :param list_level: level in that list, from 0.
    :param bold: whether its text is bold.
    :param italic: whether its text is italic.
    :param raised: whether its text is raised.
    """

    name: str = ""
    level: int = 0
    num_id: str | None = None
    list_level: int | None = None
    bold: bool = False
    italic: bool = False
    raised: bool = False

    @property
    def is_title(self) -> bool:
        """Whether it is the style of the document's title."""
        return self.name in _TITLE_NAMES

    @property
    def is_contents(self) -> bool:
        """Whether it is a line of the table of contents."""
        return bool(_CONTENTS_NAME.fullmatch(self.name))

    @property
    def is_caption(self) -> bool:
        """Whether it is a caption."""
        return self.name in _CAPTION_NAMES


class Styles:
    """The styles of a file.

    :param root: of `styles.xml`; None where there is none.
    """

    def __init__(self, root: Any | None) -> None:
        elements = [] if root is None else list(root.iter(q("w:style")))
        self._elements = {element.get(q("w:styleId")): element for element in elements}
        self._default = next(
            (
                element.get(q("w:styleId"))
                for element in elements
                if element.get(q("w:type")) == "paragraph" and is_on(element.get(q("w:default")))
            ),
            None,
        )
        self._known: dict[str | None, Style] = {}

    def of(self, style_id: str | None) -> Style:
        """Return the style with an id; the default one for None or an id that is not there."""
        key = style_id if style_id in self._elements else self._default
        if key not in self._known:
            self._known[key] = self._read(key)
        return self._known[key]

    def _read(self, style_id: str | None) -> Style:
        chain: list[Any] = []
        while style_id in self._elements and len(chain) < _MAX_CHAIN:
            element = self._elements[style_id]
            chain.append(element)
            style_id = value(element.find(q("w:basedOn")))
        if not chain:
            return Style()
        names = [(value(element.find(q("w:name"))) or "").strip().lower() for element in chain]
        number = _first(chain, "w:pPr", "w:numPr", "w:numId")
        return Style(
            name=names[0],
            level=_level(chain, names),
            num_id=None if number == "0" else number,
            list_level=to_int(_first(chain, "w:pPr", "w:numPr", "w:ilvl")),
            bold=_flag(chain, "w:b"),
            italic=_flag(chain, "w:i"),
            raised=_first(chain, "w:rPr", "w:vertAlign") == "superscript",
        )


def is_on(text: str | None) -> bool:
    """Whether an on-off attribute is on."""
    return text is not None and text.lower() not in {"0", "false", "off", "none"}


def value(element: Any | None) -> str | None:
    """Return an element's `w:val`; None for no element."""
    found: str | None = None if element is None else element.get(q("w:val"))
    return found


def to_int(text: str | None) -> int | None:
    """Return a number as written in a Word file; None when it is none."""
    try:
        return None if text is None else int(text)
    except ValueError:
        return None


def outline_level(properties: Any | None) -> int | None:
    """Return the outline level of paragraph properties, from 1; 0 for running text, None where it is not said."""
    level = None if properties is None else to_int(value(properties.find(q("w:outlineLvl"))))
    return None if level is None else level + 1 if 0 <= level < 9 else 0


def _level(chain: list[Any], names: list[str]) -> int:
    for element, name in zip(chain, names, strict=True):
        if found := _HEADING_NAME.fullmatch(name):
            return int(found[1])
        level = outline_level(element.find(q("w:pPr")))
        if level is not None:
            return level
    return 0


def _first(chain: list[Any], *path: str) -> str | None:
    steps = "/".join(map(q, path))
    return next((found for element in chain if (found := value(element.find(steps))) is not None), None)


def _flag(chain: list[Any], name: str) -> bool:
    for element in chain:
        found = element.find(f"{q('w:rPr')}/{q(name)}")
        if found is not None:
            return is_on(found.get(q("w:val"), "1"))
    return False
