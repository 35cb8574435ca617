"""Two answers to one question side by side: what each took, and where each has the passages."""

import streamlit as st
from haystack import Document

from khub.dashboard.language import t
from khub.dashboard.parts.document_html import document_line
from khub.dashboard.parts.runs.candidates import passage_cell
from khub.dashboard.parts.table import Cell, Column, Link, Row, show_table
from khub.server.questions.comparison import ComparedResult, Comparison
from khub.server.reads.known_passages import known_passages

TEXT_CHARACTERS = 220


def show_comparison(found: Comparison, names: list[str], collection: str | None) -> None:
    """Show both.

    :param names: what the answers are called.
    :param collection: that was asked, where the answers do not say it.
    """
    overlap = t("Overlap of the first {}: {:.0%}", "前 {} 名重合 {:.0%}").format(found.top_k, found.overlap)
    st.write(f"{overlap} · {t('rank-biased overlap {:.2f}', '排名偏重重合度 {:.2f}').format(found.rbo)}")
    _show_runs(found, names)
    known = known_passages(found.collection or collection, [r.chunk_id for r in found.results])
    columns = [
        Column(t("Passage", "段落"), kind="main"),
        *(Column(name, width=640) for name in names),
        Column(t("Moved", "变化")),
        Column(t("Text", "内容"), kind="text", width=640),
    ]
    rows = [_row(one, names, known) for one in found.results]
    show_table(t("Passages of both answers", "两个回答的段落"), columns, rows, "both-passages")


def _row(one: ComparedResult, names: list[str], known: dict[str, Document]) -> Row:
    ranks = (Cell("–" if rank is None else str(rank)) for rank in one.ranks)
    text = Cell(document_line(one.evidence or one.text)[:TEXT_CHARACTERS] if one.chunk_id in known else "")
    return Row(one.chunk_id, [passage_cell(one.chunk_id, known.get(one.chunk_id)), *ranks, _moved(one, names), text])


def _show_runs(found: Comparison, names: list[str]) -> None:
    columns = [
        Column(t("Answer", "回答"), kind="main"),
        Column(t("Passages", "段落"), kind="number"),
        Column(t("ms", "毫秒"), kind="number"),
        Column(t("Confidence", "置信度"), width=640),
        Column(t("Degraded", "降级"), kind="text", width=640),
    ]
    rows = []
    for run, name in zip(found.graphs, names, strict=True):
        sure = t("abstained", "拒答") if run.abstained else f"{run.confidence:.2f}"
        degraded = ", ".join(f"{entry.stage}: {entry.reason}" for entry in run.degraded)
        cells = (str(run.results), f"{run.milliseconds():,.0f}", sure, degraded)
        link = Link("query_runs", {"trace": run.trace_id})
        rows.append(Row(name, [Cell(name, link=link), *map(Cell, cells)]))
    show_table(t("Both answers", "两个回答"), columns, rows, "both-answers")


def _moved(result: ComparedResult, names: list[str]) -> Cell:
    moved = result.moved
    if moved is None:
        return Cell(t("only: {}", "仅 {}").format(names[0 if result.ranks[1] is None else 1]))
    return Cell(f"↑{moved}" if moved > 0 else f"↓{-moved}" if moved else "=")
