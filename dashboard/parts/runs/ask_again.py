"""The question of a run, asked again: the answers side by side."""

import streamlit as st
from haystack import Document

from khub.dashboard.language import t
from khub.dashboard.page import part
from khub.dashboard.parts.html_table import show_table, strong, text
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.runs.candidates import passage_name
from khub.dashboard.plain_text import plain
from khub.server.questions.comparison import ComparedResult, Comparison
from khub.server.questions.replay import replay
from khub.server.reads.known_passages import known_passages
from khub.server.reads.listed import query_graphs
from khub.server.traces.trace_record import TraceRecord


def show_ask_again(record: TraceRecord) -> None:
    """Let the visitor ask the question of a run again, through the same graph or another one.

    :param record: of the trace log, of kind `query`.
    """
    _part(record)


def _show(record: TraceRecord) -> None:
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
        _show_found(found, record)


_part = part(_show)


def _show_found(found: Comparison, record: TraceRecord) -> None:
    when = (t("then", "当时"), t("now", "现在")) if found.then else (t("now", "现在"),) * 2
    names = [f"{run.graph} ({moment})" for run, moment in zip(found.graphs, when, strict=True)]
    overlap = t("Overlap of the first {}: {:.0%}", "前 {} 名重合 {:.0%}").format(found.top_k, found.overlap)
    st.write(f"{overlap} · {t('rank-biased overlap {:.2f}', '排名偏重重合度 {:.2f}').format(found.rbo)}")
    _show_runs(found, names)
    known = known_passages(found.collection or record.get("collection"), [r.chunk_id for r in found.results])
    if found.results:
        show_table(
            t("Passages of both answers", "两个回答的段落"),
            (t("Passage", "段落"), *names, t("Moved", "变化")),
            [_row(result, names, known) for result in found.results],
        )
    for run, name in zip(found.graphs, names, strict=True):
        if run.trace_id != record.get("trace_id"):
            label = t("Trace of {}", "{} 的记录").format(plain(name))
            link_to("query_runs", label, trace=run.trace_id)


def _show_runs(found: Comparison, names: list[str]) -> None:
    head = (
        t("Answer", "回答"),
        t("Passages", "段落"),
        t("Time", "用时"),
        t("Confidence", "置信度"),
        t("Degraded", "降级"),
    )
    rows = []
    for run, name in zip(found.graphs, names, strict=True):
        ms = run.milliseconds()
        sure = t("abstained", "拒答") if run.abstained else f"{run.confidence:.2f}"
        degraded = ", ".join(f"{entry.stage}: {entry.reason}" for entry in run.degraded)
        cells = (str(run.results), t("{:,.0f} ms", "{:,.0f} 毫秒").format(ms), sure, degraded)
        rows.append((strong(name), *map(text, cells)))
    show_table(t("Both answers", "两个回答"), head, rows)


def _row(result: ComparedResult, names: list[str], known: dict[str, Document]) -> tuple[str, ...]:
    name = passage_name(result.chunk_id, known.get(result.chunk_id))
    return text(name), *map(_rank, result.ranks), text(_moved(result, names))


def _rank(rank: int | None) -> str:
    return text("–" if rank is None else rank)


def _moved(result: ComparedResult, names: list[str]) -> str:
    moved = result.moved
    if moved is None:
        return t("only: {}", "仅 {}").format(names[0 if result.ranks[1] is None else 1])
    return f"↑{moved}" if moved > 0 else f"↓{-moved}" if moved else "="
