"""Links from one page to another."""

import streamlit as st
from streamlit.errors import StreamlitPageNotFoundError


def link_to(to: str, label: str, **address: str) -> None:
    """Show a link to another page, which keeps the visit; a page that runs alone knows no other, and shows the words.

    :param to: name of its file in `dashboard/pages`.
    :param label: Markdown of the hub's own: what a document says in it goes through `plain`.
    :param address: what the other page is to show, as it stands behind the `?`.
    """
    try:
        st.page_link(f"pages/{to}.py", label=label, query_params=address)
    except StreamlitPageNotFoundError:
        st.caption(label)
