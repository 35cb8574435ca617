"""Ingestion."""

import streamlit as st

from dashboard.language import t
from dashboard.page import open_page


def _show() -> None:
    st.write("…")


open_page(t("Ingestion", "导入"), _show)
