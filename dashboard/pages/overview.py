"""Overview."""

import streamlit as st

from dashboard.language import t
from dashboard.page import open_page


def _show() -> None:
    st.write("…")


open_page(t("Overview", "总览"), _show)
