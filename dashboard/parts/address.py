"""What a person has chosen, kept in the address of the page: to be shared, and there again after a reload."""

from collections.abc import Collection
from typing import Any

import streamlit as st


def show_address() -> None:
    """Let the browser show the address that the page is made for: a link to the page that it is on leaves the old one.

    Call it first in a page that links to itself.
    """
    st.query_params.from_dict(st.query_params.to_dict())


def take(parameter: str, options: Collection[Any] | None, otherwise: Any) -> bool:
    """Give a widget, whose key is the parameter's name, what the address says, where that has changed from outside.

    What it has and has no longer among its options is forgotten.

    :param parameter: of the address.
    :param options: that the widget has, each of a type made from text; None for any text.
    :param otherwise: what the widget has where the address says nothing that it knows.
    :return: whether that has changed.
    """
    said = st.query_params.get(parameter, "")
    if parameter in st.session_state and st.session_state.get(_seen(parameter)) == said:
        if options is not None and st.session_state[parameter] not in options:
            st.session_state[parameter] = otherwise
        return False
    by_text = {said: said} if options is None else {str(option): option for option in options}
    st.session_state[parameter] = by_text.get(said, otherwise) if said else otherwise
    st.session_state[_seen(parameter)] = said
    return True


def put(parameter: str, value: Any, otherwise: Any) -> None:
    """Write what a widget has into the address; nothing where it is what it would be anyway."""
    text = "" if value in (None, otherwise) else str(value)
    if text:
        st.query_params[parameter] = text
    else:
        st.query_params.pop(parameter, None)
    st.session_state[_seen(parameter)] = text


def _seen(parameter: str) -> str:
    return f"{parameter} in the address"
