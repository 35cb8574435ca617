"""What a visitor is shown where a page ends by an error that nobody foresaw."""

import streamlit as st

from khub.dashboard.language import t


def show_failure(error: Exception) -> bool:
    """Show that a page failed; Streamlit has logged why, and its own words for it are of another service.

    :return: that nothing else needs to be shown.
    """
    name = type(error).__name__
    st.error(
        t(
            f"This page could not be shown ({name}). Load it again; if that fails too, logs/app.jsonl says why.",
            f"无法显示此页面（{name}）。请重新加载；如果仍然失败，原因见知识库的 logs/app.jsonl。",
        )
    )
    return True
