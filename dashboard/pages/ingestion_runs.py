"""Ingestion traces."""

import streamlit as st

from dashboard.language import t
from dashboard.page import open_page


def _show() -> None:
    st.write("…")


open_page(t("Ingestion traces", "导入记录"), _show)
