"""The question of a run, asked again: the answers side by side."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.page import part
from khub.dashboard.parts.comparison_tables import show_comparison
from khub.server.questions.replay import replay
from khub.server.reads.listed import query_graphs
from khub.server.traces.trace_record import TraceRecord


@part
def show_ask_again(record: TraceRecord) -> None:
    """Let the visitor ask the question of a run again, through the same graph or another one.

    :param record: of the trace log, of kind `query`.
    """
    own, graph = f"again-{record.get('trace_id')}", str(record.get("graph"))
    graphs = list(dict.fromkeys([graph, *query_graphs()]))
    st.write(
        t(
            "Through the same graph, its old answer stands beside a new one; through another, both graphs answer now.",
            "使用同一张图时，旧回答与新回答并列；使用另一张图时，两张图都重新回答。",
        )
    )
    chosen = st.selectbox(t("Graph", "流程图"), graphs, key=f"{own}-graph")
    if st.button(t("Ask again", "重新提问"), key=f"{own}-ask"):
        with st.spinner(t("Asking …", "正在提问……")):
            found = replay(record, chosen)
        when = (t("then", "当时"), t("now", "现在")) if found.then else (t("now", "现在"),) * 2
        names = [f"{run.graph} ({moment})" for run, moment in zip(found.graphs, when, strict=True)]
        show_comparison(found, names, record.get("collection"))
