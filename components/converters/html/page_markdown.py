"""HTML elements as Markdown."""

import base64
import binascii
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import unquote_to_bytes

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

from components.converters.docx.drawings import clean_alt
from components.converters.docx.tables import table_with_caption
from components.converters.markdown_table import Cell, one_line
from components.converters.office.pictures import PictureCollector

_MARK = re.compile(r"\s*\[IMAGE: \d+@\d+\]\s*")
_FOLLOWED = re.compile(r"(?:https?|mailto|ftp):", re.IGNORECASE)
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|brush:?|sourceCode)[-: ]\s*([\w+#-]+)")
_DATA = re.compile(r"data:image/[\w.+-]+(;base64)?,(.*)", re.DOTALL | re.IGNORECASE)
_ITEM = re.compile(r"^\s*[*+-] ", re.MULTILINE)
_FENCE = re.compile(r"^\s*```.*$", re.MULTILINE)
_TYPED_BULLET = re.compile(r"^\s*[•·▪◦‣]\s*")
_HEADINGS = ["h1", "h2", "h3", "h4"]


def page_markdown(
    soup: BeautifulSoup,
    pictures: PictureCollector | None = None,
    load: Callable[[str], bytes | None] | None = None,
) -> str:
    """Write what is left of a page as Markdown.

    Links keep their address when it is a whole one; tables keep merged cells' text in each row; a code block names
    its language where the page does.

    :param soup: the page; it is changed.
    :param pictures: takes the pictures that are at hand; without it all of them become their alternative text.
    :param load: gives the bytes of a picture by its address.
    :returns: the Markdown, or the bare text of a page that is nested too deeply.
    """
    root = soup.body or soup
    try:
        _unwrap_layout(root)
        text: str = _PageMarkdown(pictures, load).convert_soup(root)
    except RecursionError:
        warnings.warn("The page is too deeply nested for Markdown; its bare text is read", stacklevel=2)
        return root.get_text("\n", strip=True)
    return text.strip()


class _PageMarkdown(MarkdownConverter):
    def __init__(self, pictures: PictureCollector | None, load: Callable[[str], bytes | None] | None) -> None:
        super().__init__(
            heading_style=ATX,
            escape_asterisks=False,
            escape_underscores=False,
            code_language_callback=_language,
            wrap=False,
        )
        self._pictures, self._load = pictures, load
        self._cells: dict[int, Cell] = {}

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        href = str(el.get("href") or "").strip()
        inner = text.strip()
        if "_noformat" in parent_tags or not inner or not _FOLLOWED.match(href):
            return text
        bare = href.removeprefix("mailto:")
        if inner in {href, bare} or _MARK.search(text) or "\n" in inner:
            return text
        address = f"<{href}>" if re.search(r"[\s()]", href) else href
        start = text.index(inner)
        return f"{text[:start]}[{inner}]({address}){text[start + len(inner) :]}"

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        source = str(el.get("src") or "")
        if not source or source.startswith("data:"):
            source = str(el.get("data-src") or source)
        alt = clean_alt(str(el.get("alt") or ""))
        data = _embedded(source) if source.startswith("data:") else self._load(source) if self._load else None
        mark = self._pictures.add(data, alt, _caption_of(el)) if self._pictures else ""
        return f"\n\n{mark}\n\n{alt}\n\n" if mark and alt else f"\n\n{mark}\n\n" if mark else alt

    def convert_summary(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        heading = text.strip().strip("*")
        return f"\n\n**{heading}**\n\n" if heading else ""

    def convert_dt(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        term = " ".join(text.split()).strip("*")
        return f"\n\n**{term}**\n" if term else ""

    def convert_dd(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        lines = text.strip().split("\n")
        return "\n: " + "\n  ".join(lines) + "\n" if lines[0] else ""

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        written: str = super().convert_li(el, _TYPED_BULLET.sub("", text), parent_tags)  # type: ignore[misc]
        return written

    def convert_figcaption(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return f"\n\n{text.strip()}\n\n"

    def convert_input(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return ("[x] " if el.has_attr("checked") else "[ ] ") if el.get("type") == "checkbox" else ""

    def convert_math(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        source = el.find("annotation", encoding="application/x-tex")
        latex = source.get_text(strip=True) if source else str(el.get("alttext") or "").strip()
        return f"${latex}$" if latex else " ".join(el.get_text(" ").split())

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        marks = "".join(_MARK.findall(text))
        line = one_line(_ITEM.sub("• ", _FENCE.sub("", _MARK.sub(" ", text))))
        header = el.name == "th" and el.get("scope") != "row"
        self._cells[id(el)] = Cell(line, _span(el, "colspan"), _span(el, "rowspan"), header)
        return marks

    convert_th = convert_td

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return text

    def convert_caption(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return ""

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        rows = [row for row in el.find_all("tr") if row.find_parent("table") is el]
        cells = [
            [self._cells[id(cell)] for cell in row.find_all(["td", "th"], recursive=False) if id(cell) in self._cells]
            for row in rows
        ]
        head = _with_headers(rows, cells)
        if el.find_parent(["td", "th"]):
            return " " + "; ".join(", ".join(c.text for c in line if c.text) for line in cells if line) + " "
        caption = el.find("caption")
        title = " ".join(caption.get_text(" ").split()) if caption else ""
        marks = "\n\n".join(mark.strip() for mark in _MARK.findall(text))
        parts = (f"**{title}**" if title else "", table_with_caption([line for line in head if line]), marks)
        return "\n\n" + "\n\n".join(part for part in parts if part) + "\n\n"


def _with_headers(rows: list[Tag], cells: list[list[Cell]]) -> list[list[Cell]]:
    """Mark the rows of a table's head, which goes on below its first row only under names over several columns."""
    found = []
    goes_on = True
    for row, line in zip(rows, cells, strict=True):
        header = goes_on and (row.find_parent("thead") is not None or all(cell.header for cell in line))
        found.append([replace(cell, header=header) for cell in line])
        goes_on = header and (row.find_parent("thead") is not None or any(cell.columns > 1 for cell in line))
    return found


def _unwrap_layout(root: Tag) -> None:
    """Make blocks of tables that only place things on the page."""
    for table in root.find_all("table"):
        nested = table.find("table")
        cells = table.find_all(["td", "th"], limit=2)
        layout = table.get("role") in {"presentation", "none"} or len(cells) < 2 or table.find(_HEADINGS)
        own = [e for e in table.find_all(["tr", "td", "th", "tbody", "thead"]) if e.find_parent("table") is table]
        if layout or (nested and all(e.name != "th" for e in own)) or _is_code_table(table):
            for element in [table, *own]:
                element.name = "div"


def _is_code_table(table: Tag) -> bool:
    return len(table.find_all("pre", limit=2)) == 1 and len(table.find_all("tr", limit=2)) == 1


def _language(pre: Tag) -> str:
    names = []
    for element in [pre, *pre.find_all("code", limit=1), *list(pre.parents)[:2]]:
        names += [" ".join(element.get_attribute_list("class") or []) if element.get("class") else ""]
        names += [f"lang-{value}" for key in ("data-lang", "data-language") if (value := element.get(key))]
    found = (_LANGUAGE.search(name) for name in names)
    return next((match[1].lower() for match in found if match), "")


def _span(cell: Tag, name: str) -> int:
    text = str(cell.get(name) or "1")
    return max(1, min(int(text), 1000)) if text.isdecimal() else 1


def _caption_of(image: Tag) -> str:
    figure = image.find_parent("figure")
    caption = figure.find("figcaption") if figure else None
    return " ".join(caption.get_text(" ").split()) if caption else ""


def _embedded(address: str) -> bytes | None:
    found = _DATA.match(address)
    if not found:
        return None
    try:
        return base64.b64decode(found[2]) if found[1] else unquote_to_bytes(found[2])
    except (binascii.Error, ValueError):
        return None
