"""A table of any length, of which a page is sent to the browser."""

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

ROWS = 50
Row = TypeVar("Row")


def offset_of(total: int, key: str, size: int = ROWS) -> int:
    """Return where the page that was chosen begins.

    :param key: of the widget that chooses it, see `choose_page`.
    :param size: rows on a page.
    """
    if (st.session_state.get(key, 1) - 1) * size >= max(1, total):  # there are fewer than there were
        st.session_state[key] = 1
    return int(st.session_state.get(key, 1) - 1) * size


def choose_page(total: int, key: str, size: int = ROWS) -> None:
    """Show the widget that chooses the page, where there are several."""
    if total > size:
        st.pagination(-(-total // size), key=key)


def page_of(rows: Sequence[Row], key: str, size: int = ROWS) -> Sequence[Row]:
    """Return the rows of the page that was chosen."""
    begin = offset_of(len(rows), key, size)
    return rows[begin : begin + size]


def shown_part(rows: Sequence[Row], size: int, key: str) -> Sequence[Row]:
    """Show the widget that chooses the page, and return the rows of it, which stand below."""
    shown = page_of(rows, key, size)
    choose_page(len(rows), key, size)
    return shown


def paged_table(rows: Sequence[dict[str, str]], key: str, alt: str) -> None:
    """Show rows, fifty at a time.

    :param key: of the widget that chooses the page.
    :param alt: what the table is, for who cannot see it.
    """
    st.dataframe(list(page_of(rows, key)), hide_index=True, width="stretch", alt=alt)
    choose_page(len(rows), key)
