"""The way from a question of an evaluation to what each stage did with it."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.link import link_to
from khub.eval.run.kept_runs import KeptRun


def trace_link(run: KeptRun, graph: str, trace_id: str | None) -> None:
    """Link to a trace; one of a collection that was filled for the evaluation is in the log of that, for the terminal.

    :param trace_id: None for a question that failed, or a run of an older hub.
    """
    if not trace_id:
        return
    if run.report.get("collection"):
        link_to("query_runs", t("What each stage did", "各阶段详情"), trace=trace_id)
    else:
        home = run.path.parents[1] / "collections" / run.report["graphs"][graph]["collection"]["key"]
        with st.expander(t("What each stage did", "各阶段详情")):
            st.code(f"KHUB_HOME={home} khub trace show {trace_id}", language=None, wrap_lines=True)
