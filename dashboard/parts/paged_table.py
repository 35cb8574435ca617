"""A table of any length, of which a page is sent to the browser."""

from collections.abc import Sequence
from typing import TypeVar

import streamlit as st

ROWS = 50
Row = TypeVar("Row")


def offset_of(total: int, key: str) -> int:
    """Return where the page that was chosen begins.

    :param key: of the widget that chooses it, see `choose_page`.
    """
    if (st.session_state.get(key, 1) - 1) * ROWS >= max(1, total):  # there are fewer than there were
        st.session_state[key] = 1
    return int(st.session_state.get(key, 1) - 1) * ROWS


def choose_page(total: int, key: str) -> None:
    """Show the widget that chooses the page, where there are several."""
    if total > ROWS:
        st.pagination(-(-total // ROWS), key=key)


def page_of(rows: Sequence[Row], key: str) -> Sequence[Row]:
    """Return the rows of the page that was chosen."""
    begin = offset_of(len(rows), key)
    return rows[begin : begin + ROWS]


def paged_table(rows: Sequence[dict[str, str]], key: str, alt: str) -> None:
    """Show rows, fifty at a time.

    :param key: of the widget that chooses the page.
    :param alt: what the table is, for who cannot see it.
    """
    st.dataframe(list(page_of(rows, key)), hide_index=True, width="stretch", alt=alt)
    choose_page(len(rows), key)
