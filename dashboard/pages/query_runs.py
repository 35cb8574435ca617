"""Query traces."""

import streamlit as st

from dashboard.language import t
from dashboard.page import open_page
from dashboard.parts.candidates import show_candidates
from dashboard.parts.waterfall import show_waterfall
from server.traces.log import find_trace


def _show() -> None:
    record = find_trace(st.query_params.get("trace", ""))
    if record:
        st.header(t("Stages", "各阶段"))
        show_waterfall(record)
        st.header(t("Passages by stage", "各阶段的段落"))
        show_candidates(record)


open_page(t("Query traces", "提问记录"), _show)
