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

from khub.components.converters.docx.drawings import clean_alt
from khub.components.converters.docx.tables import table_with_caption
from khub.components.converters.html.mathml import math_markdown
from khub.components.converters.html.raised import is_note_link, is_raised, raised_markdown
from khub.components.converters.html.ruby import mark_bracket, mark_reading, ruby_markdown
from khub.components.converters.markdown_table import Cell, one_line
from khub.components.converters.office.pictures import PictureCollector

_MARK = re.compile(r"(?:(?<!\s)\s++)?\[IMAGE: \d+@\d+\]\s*+")
_FOLLOWED = re.compile(r"(?:https?|mailto|ftp):", re.IGNORECASE)
_DATA = re.compile(r"data:image/[\w.+-]+(;base64)?,(.*)", re.DOTALL | re.IGNORECASE)
_HEADINGS = ["h1", "h2", "h3", "h4"]


def page_markdown(
    soup: BeautifulSoup,
    pictures: PictureCollector | None = None,
    load: Callable[[str], bytes | None] | None = None,
) -> str:
    """Write what is left of a page as Markdown.

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
    """Writes as MarkItDown does, by markdownify, but for what is lost there.

    Pictures are taken out, addresses that lead nowhere go, formulas are LaTeX, raised characters and readings do not
    run into the words before them. Tables are our own: markdownify
    puts a merged cell's text into one of its rows only, which moves the others to wrong columns, writes no rule below
    a head with such cells, so that it is no table any more, and leaves a pipe in a cell as it is.
    """

    def __init__(self, pictures: PictureCollector | None, load: Callable[[str], bytes | None] | None) -> None:
        super().__init__(heading_style=ATX, escape_asterisks=False, escape_underscores=False)
        self._pictures, self._load = pictures, load
        self._cells: dict[int, Cell] = {}

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        href = str(el.get("href") or "").strip()
        shown = text.strip()
        if is_note_link(el) and "sup" not in parent_tags:
            return raised_markdown(el, text)
        # An address that is written out needs no second one; a picture stays a line of its own.
        if not _FOLLOWED.match(href) or shown == href.removeprefix("mailto:") or _MARK.search(text):
            return text
        linked: str = super().convert_a(el, text, parent_tags)  # type: ignore[misc]
        return linked

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        source = str(el.get("src") or "")
        if not source or source.startswith("data:"):
            source = str(el.get("data-src") or source)
        alt = clean_alt(str(el.get("alt") or ""))
        data = _embedded(source) if source.startswith("data:") else self._load(source) if self._load else None
        mark = self._pictures.add(data, alt, _caption_of(el)) if self._pictures else ""
        return f"\n\n{mark}\n\n{alt}\n\n" if mark else alt

    def convert_input(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return ("[x] " if el.has_attr("checked") else "[ ] ") if el.get("type") == "checkbox" else ""

    def convert_math(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return math_markdown(el)

    convert_m_math = convert_mml_math = convert_math  # as XHTML with the usual prefixes has it

    def convert_sup(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return raised_markdown(el, text)

    def convert_span(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return raised_markdown(el, text) if is_raised(el) else text

    def convert_rt(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return mark_reading(text) if "ruby" in parent_tags else text

    def convert_rp(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return mark_bracket(text) if "ruby" in parent_tags else text

    def convert_ruby(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        return ruby_markdown(text)

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:  # noqa: ARG002
        header = el.name == "th" and el.get("scope") != "row"
        self._cells[id(el)] = Cell(one_line(_MARK.sub(" ", text)), _span(el, "colspan"), _span(el, "rowspan"), header)
        return "".join(_MARK.findall(text))

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
        if el.find_parent(["td", "th"]):
            return " " + "; ".join(", ".join(c.text for c in line if c.text) for line in cells if line) + " "
        caption = el.find("caption")
        title = " ".join(caption.get_text(" ").split()) if caption else ""
        marks = "\n\n".join(mark.strip() for mark in _MARK.findall(text))
        head = [line for line in _with_headers(rows, cells) if line]
        parts = (f"**{title}**" if title else "", table_with_caption(head), marks)
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


def _span(cell: Tag, name: str) -> int:
    text = str(cell.get(name) or "1")
    return max(1, min(int(text), 1000)) if text.isdecimal() else 1


def _unwrap_layout(root: Tag) -> None:
    """Make blocks of tables that only place things on the page, as most mails have."""
    for table in root.find_all("table"):
        cells = table.find_all(["td", "th"], limit=2)
        layout = table.get("role") in {"presentation", "none"} or len(cells) < 2 or table.find(_HEADINGS)
        own = [e for e in table.find_all(["tr", "td", "th", "tbody", "thead"]) if e.find_parent("table") is table]
        if layout or (table.find("table") and all(e.name != "th" for e in own)):
            for element in [table, *own]:
                element.name = "div"


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
