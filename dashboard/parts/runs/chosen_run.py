"""The run that the address of a page names."""

import streamlit as st

from khub.dashboard.language import t, warning
from khub.dashboard.parts.link import link_to
from khub.server.traces.index import find_trace
from khub.server.traces.trace_record import TraceRecord

OF_A_RUN = ("trace", "lost")
"""Parameters of the address."""


def chosen_run(page: str, kinds: tuple[str, ...]) -> TraceRecord | None:
    """Return the record of the trace in the address, by its id or the start of it, and show the way back to the list.

    :param page: the page's file.
    :param kinds: that the page shows.
    """
    kept = {name: value for name, value in st.query_params.to_dict().items() if name not in OF_A_RUN}
    link_to(page, t("← All traces", "← 全部记录"), **kept)
    record = find_trace(st.query_params["trace"].strip())
    if record is not None and record.get("kind") in kinds:
        return record
    if record is not None:
        other = "ingestion_runs" if record.get("kind") == "ingest" else "query_runs"
        address = {"trace": str(record["trace_id"])}
        link_to(other, t("This trace is of another kind: open it", "此记录属于另一类：打开"), **address)
        return None
    warning("There is no such trace (any more), or it is not open to you.", "没有这条记录，或您无权查看。")
    return None
