"""A table that can be sorted, in which rows can be selected, and whose links keep the visit.

The server sorts and cuts: the table shows the rows that it is given as text, and tells what the visitor wants.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

import streamlit as st

from khub.components.text.hidden_characters import for_terminal
from khub.dashboard.browser_part import browser_part
from khub.dashboard.language import t

_mount = browser_part("table", '<div class="holder"></div>')


@dataclass(frozen=True)
class Column:
    """A column.

    :param sort: key of the order that its head asks for; none where nobody can sort by it.
    :param falls: the head asks for the descending order first.
    :param kind: `main` takes the room that is left, `text` is broken into lines, `short` and `number` are not.
    :param width: the table's in pixels, below which the column is left out.
    :param also: what else stands in its cells, if that can be sorted by, too: its `title`, `sort` and `falls`.
    """

    title: str
    sort: str = ""
    falls: bool = False
    kind: Literal["main", "text", "short", "number"] = "short"
    width: Literal[0, 640, 960] = 0
    also: "Column | None" = None


@dataclass(frozen=True)
class Link:
    """A way to a page.

    :param page: name of its file in `dashboard/pages`; not of the first one, whose address has no name.
    :param address: what the page is to show, as it stands behind the `?`.
    """

    page: str
    address: Mapping[str, str]

    @property
    def href(self) -> str:
        """Return its address, as seen from any of the pages."""
        return f"{self.page}?{urlencode(self.address)}"


@dataclass(frozen=True)
class Badge:
    """A state, a level, a tag."""

    text: str
    tone: Literal["plain", "good", "warn", "bad"] = "plain"


@dataclass(frozen=True)
class Cell:
    """What stands in a row below a column: texts of documents, as they are.

    :param small: a second line.
    :param link: where the text leads to.
    :param share: from 0 to 1: the length of a bar behind the text.
    :param begins: from 0 to 1: where the bar begins.
    """

    text: str = ""
    small: str = ""
    link: Link | None = None
    badges: Sequence[Badge] = field(default=())
    share: float | None = None
    begins: float = 0.0

    def data(self) -> dict[str, Any]:
        """Return what the browser is sent."""
        return {
            "text": for_terminal(self.text),
            **({"small": for_terminal(self.small)} if self.small else {}),
            **({"href": self.link.href} if self.link else {}),
            "badges": [{**asdict(one), "text": for_terminal(one.text)} for one in self.badges],
            **({"share": self.share, "begins": self.begins} if self.share is not None else {}),
        }


@dataclass(frozen=True)
class Row:
    """A row.

    :param id: by which it is selected.
    :param cells: one for each column; the first one names the row.
    """

    id: str
    cells: Sequence[Cell]


def sort_asked(key: str) -> str | None:
    """Return the order that a head was just clicked for, a `-` before it where it falls; ask before rows are read.

    :param key: of the table.
    """
    asked = (st.session_state.get(key) or {}).get("sort")
    return asked if isinstance(asked, str) else None


def show_table(
    caption: str, columns: Sequence[Column], rows: Sequence[Row], key: str, sort: str = "", select: bool = False
) -> list[str]:
    """Show a table and return the ids of the selected rows that it has; a link that was clicked is followed.

    :param caption: what it is a table of, for those who do not see it.
    :param sort: the order that the rows have, see `sort_asked`.
    :param select: rows can be selected.
    """
    ids = {row.id for row in rows}
    before = (st.session_state.get(key) or {}).get("selected") or []
    data = {
        "caption": caption,
        "columns": [asdict(column) for column in columns],
        "rows": [{"id": row.id, "cells": [cell.data() for cell in row.cells]} for row in rows],
        "sort": sort,
        "select": {"all": t("Select all on this page", "选择本页全部"), "one": t("Select", "选择")} if select else None,
        "selected": [one for one in before if one in ids],
    }
    told = _mount(key, data, ("sort", "open", "selected"))
    links = {cell.link.href: cell.link for row in rows for cell in row.cells if cell.link}
    if link := links.get(str(told.get("open"))):
        st.switch_page(f"pages/{link.page}.py", query_params=dict(link.address))
    return [one for one in told.get("selected") or [] if one in ids]
