"""The collection that is asked, as the browser remembers it from visit to visit: in a cookie for these pages alone."""

from urllib.parse import unquote

import streamlit as st

from khub.dashboard.browser_part import browser_part

COOKIE = "khub_scope"
_mount = browser_part("scope")


def kept_scope() -> str:
    """Return what was asked last in this browser; empty for all collections, and where it knows of none."""
    return unquote(st.context.cookies.get(COOKIE, ""))


def keep_scope(collection: str) -> None:
    """Let the browser remember a collection; empty for all of them."""
    with st.sidebar:  # where it takes no room
        _mount(key="scope", data={"cookie": COOKIE, "collection": collection}, height=0)
