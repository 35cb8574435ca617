"""The part of a long list that is shown, and the pages to turn."""

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

Item = TypeVar("Item")


def shown_part(items: Sequence[Item], size: int, key: str) -> Sequence[Item]:
    """Return the items of the page that is chosen; pages are offered where there is more than one.

    :param size: items on a page.
    :param key: of the widget.
    """
    pages = -(-len(items) // size)
    if pages <= 1:
        return items
    if st.session_state.get(key, 1) > pages:
        st.session_state[key] = 1
    page = st.pagination(pages, key=key)
    return items[(page - 1) * size : page * size]
