"""The way in for files from every page: a button beside it, and whatever is dropped onto the window."""

import streamlit as st

from khub.components.errors import KhubError
from khub.dashboard.browser_part import browser_part
from khub.dashboard.language import t
from khub.dashboard.visitor import may_write

_mount = browser_part("drop", '<div class="veil" popover="manual"></div>')


def show_way_in() -> None:
    """Show it beside the page, for who may write."""
    try:
        if not may_write():
            return
    except KhubError:
        return  # the page says it
    with st.sidebar:
        _mount(key="drop", data={"said": t("Drop to add to the knowledge hub", "松开即可导入知识库")}, height=0)
        label = t("Add documents", "导入文档")
        if st.button(label, key="add-documents", icon=":material/upload_file:", width="stretch"):
            looked_at = st.query_params.get("collection") or st.session_state.get("collection")
            st.switch_page("pages/ingestion.py", query_params={"collection": looked_at} if looked_at else {})
