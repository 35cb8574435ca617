"""Pages, and parts of pages that run again by themselves: each for the one who looks at it, and for nobody else.

Streamlit runs a part alone, on a thread that knows nothing of the page around it: so each asks anew who looks at it.
Callbacks, caches and Streamlit's own fragments and dialogs know no visitor; the pages use none of them.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from khub.components.catalog.access import Caller, caller, calling_as
from khub.components.errors import KhubError
from khub.dashboard.language import t, warning
from khub.dashboard.plain_text import plain
from khub.dashboard.spared_garbage import spare_what_is_loaded
from khub.dashboard.visitor import visitor
from khub.server.access_right import Access
from khub.server.http.problems import told_of

SIGN_IN = "login"
LOOKS = Path(__file__).with_name("browser") / "looks.css"
MARK = Path(__file__).with_name("browser") / "mark.svg"
LOGO = Path(__file__).with_name("browser") / "logo.svg"


def open_page(title: str, show: Callable[[], None], heading: str | None = None) -> None:
    """Show a page to its visitor.

    :param title: of the browser's tab.
    :param show: draws what is below the heading.
    :param heading: over the page; None for its title, empty where the page draws its own.
    """
    st.set_page_config(page_title=f"{title} · Knowledge Hub", page_icon=str(MARK), layout="wide")
    st.html(LOOKS)
    if heading != "":
        st.title(heading or title, anchor=False)
    try:
        _for_visitor(show)()
    finally:  # a page that is run again ends by an exception
        spare_what_is_loaded()


def part(show: Callable[..., None], run_every: float | None = None) -> Callable[..., None]:
    """Make a function a part of a page that runs again by itself when something in it is used.

    :param show: draws the part.
    :param run_every: seconds after which it is drawn again; None for never.
    """
    return st.fragment(_for_visitor(show), run_every=run_every)


def dialog(title: str, show: Callable[..., None]) -> Callable[..., None]:
    """Make a function a window over the page; call it to open it.

    :param title: of the window.
    :param show: draws what is in it.
    """
    return st.dialog(title, width="medium")(_for_visitor(show))


def as_told(error: KhubError, who: Caller | None = None) -> str:
    """Return what a visitor is told of an error: as the routes tell it.

    :param who: the visitor, where the hub does not work for it now.
    """
    return str(error if (who or caller()).sees_all else told_of(error))


def show_way_out(address: str, label: str) -> None:
    """Show a link that leaves the pages in the same window, and so ends the visit; Streamlit's own open another one.

    :param address: below the pages.
    :param label: the hub's own words.
    """
    look = "color: inherit; font-size: 0.875rem; padding-left: 0.5rem; text-decoration: none"
    icon = '<span aria-hidden="true" style="font: 1.15rem/1 Material Symbols Rounded; vertical-align: -0.2rem">'
    st.html(f'<a href="{address}" style="{look}">{icon}{address}</span>&ensp;{label}</a>')


def _for_visitor(show: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(show)
    def shown(*arguments: Any, **named: Any) -> None:
        who = Caller(collections=frozenset())
        try:
            access, who = visitor()
            if access is Access.NOTHING:
                warning("Sign in to see this page.", "请先登录。")
                show_way_out(SIGN_IN, t("Sign in", "登录"))
                return
            with calling_as(who):
                show(*arguments, **named)
        except KhubError as error:
            st.error(plain(as_told(error, who)))

    return shown
