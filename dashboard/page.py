"""Pages, and parts of pages that run again by themselves: each for the one who looks at it, and for nobody else.

Streamlit runs a part alone, on a thread that knows nothing of the page around it: so each asks anew who looks at it.
Callbacks, caches and Streamlit's own fragments and dialogs know no visitor; the pages use none of them.
"""

import functools
from collections.abc import Callable
from typing import Any

import streamlit as st

from khub.components.catalog.access import Caller, calling_as
from khub.components.errors import KhubError
from khub.dashboard.language import t
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import visitor
from khub.server.http.problems import told_of
from khub.server.http.tokens import Access

SIGN_IN = "login"
STYLE = """<style>
.stMainBlockContainer { padding-top: 3rem; }
[data-testid="InputInstructions"] { display: none; }  /* English, and over what was typed */
[data-tag] { background: transparent !important; border: 1px solid currentcolor; }
[data-tag], [data-tag] * { color: inherit !important; }  /* white on light blue in the dark */
.stMainBlockContainer [data-testid="stPageLink-NavLink"] p { text-decoration: underline; }  /* else plain words */
.stMainBlockContainer [data-testid="stPageLink-NavLink"] * { white-space: normal; overflow-wrap: anywhere; }
</style>"""


def open_page(title: str, show: Callable[[], None]) -> None:
    """Show a page to its visitor.

    :param title: over the page, and of the browser's tab.
    :param show: draws what is below the title.
    """
    st.set_page_config(page_title=f"{title} · Knowledge Hub", page_icon="📚", layout="wide")
    st.html(STYLE)
    st.title(title, anchor=False)
    _for_visitor(show)()


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
    return st.dialog(title, width="large")(_for_visitor(show))


def show_way_out(address: str, label: str) -> None:
    """Show a link that leaves the pages in the same window, and so ends the visit; Streamlit's own open another one.

    :param address: below the pages.
    :param label: the hub's own words.
    """
    st.html(f'<a href="{address}">{label}</a>')


def _for_visitor(show: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(show)
    def shown(*arguments: Any, **named: Any) -> None:
        who = Caller(collections=frozenset())
        try:
            access, who = visitor()
            if access is Access.NOTHING:
                st.warning(t("Sign in to see this page.", "请先登录。"))
                show_way_out(SIGN_IN, t("Sign in", "登录"))
                return
            with calling_as(who):
                show(*arguments, **named)
        except KhubError as error:
            st.error(plain(str(error if who.sees_all else told_of(error))))  # as the routes tell it

    return shown
