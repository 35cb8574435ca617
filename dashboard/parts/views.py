"""Views of a page or of a part of it, of which one is shown at a time; the address names it."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.address import put, take

View = Callable[..., Any]
AMONG = "views of the page"


def choose_view(views: Mapping[str, tuple[str, View]]) -> tuple[str, View]:
    """Let the visitor choose a view, and return its name and what shows it.

    :param views: name in the address -> label and what it shows; the first one where none is named.
    """
    first = next(iter(views))
    if st.session_state.get(AMONG) != list(views):  # come from another page, whose choice it would be
        st.session_state[AMONG] = list(views)
        st.session_state.pop("view", None)
    take("view", views, first)
    chosen = st.segmented_control(
        t("View", "视图"),
        list(views),
        required=True,
        format_func=lambda name: views[name][0],
        key="view",
        label_visibility="collapsed",
    )
    put("view", chosen, first)
    return str(chosen), views[str(chosen)][1]
