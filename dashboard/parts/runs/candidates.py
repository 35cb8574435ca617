"""The passages of a run: at which rank each stage had them, and how they moved."""

import streamlit as st
from haystack import Document

from khub.components.catalog.parts import shown_name
from khub.components.text.time_marks import first_mark
from khub.dashboard.language import t
from khub.dashboard.parts.document_text import show_document_text
from khub.dashboard.parts.table import Badge, Cell, Column, Link, Row, show_table
from khub.server.reads.known_passages import known_passages
from khub.server.traces.rankings import Known, Ranking, Step, candidates, rankings, way
from khub.server.traces.trace_record import TraceRecord

MOST_ROWS = 25


def show_candidates(record: TraceRecord) -> None:
    """Show all passages that the stages of a run named: a row each, and a column for each list that a stage gave.

    :param record: of the trace log.
    """
    lists = rankings(record)
    ids = candidates(lists)
    if not ids:
        st.info(_nothing(record))
        return
    own = f"candidates-{record.get('trace_id')}"
    shown = ids
    if len(ids) > MOST_ROWS:
        every = st.toggle(t("Show all {} passages", "显示全部 {} 个段落").format(len(ids)), key=f"{own}-all")
        shown = ids if every else ids[:MOST_ROWS]
    known = known_passages(record.get("collection"), ids)
    columns = [Column(t("Passage", "段落"), kind="main"), *list_columns(lists)]
    rows = [Row(i, [passage_cell(i, known.get(i)), *(_cell(step) for step in way(lists, i))]) for i in shown]
    read = show_table(t("Passages by stage", "各阶段的段落"), columns, rows, own, select=True)
    for chunk_id in read:
        with st.container(border=True):
            st.text(passage_name(chunk_id, known.get(chunk_id)))
            show_document_text((known[chunk_id].content or "") if chunk_id in known else "")
    st.caption(_legend())


def list_columns(lists: list[Ranking]) -> list[Column]:
    """Return a column for each list."""
    return [Column(f"{one.name} ({one.count})") for one in lists]


def passage_name(chunk_id: str, chunk: Document | None) -> str:
    """Return how a passage is called in a line of text; its id where it is not opened to the visitor."""
    cell = passage_cell(chunk_id, chunk)
    return f"{cell.text} · {cell.small}"


def passage_cell(chunk_id: str, chunk: Document | None) -> Cell:
    """Return a passage's document, page and section, with the way to it, as far as it is opened to the visitor."""
    if chunk is None:
        return Cell(chunk_id[:8], t("gone or closed", "已不存在或无权查看"))
    meta = chunk.meta
    name = shown_name(str(meta.get("source") or ""))
    said = first_mark(meta.get("time_marks"))
    page = "" if meta.get("page") is None else t("page {}", "第 {} 页").format(meta["page"])
    where = [name, f"[{said}]" if said else page]
    where.append(str(meta.get("section") or "").rpartition(" > ")[2])
    place = {"time": said} if said else {} if meta.get("page") is None else {"page": str(meta["page"])}
    link = Link("documents", {"doc": str(meta["doc_id"]), **place})
    return Cell(str(meta.get("title") or name or chunk.id), " · ".join(filter(None, where)), link)


def _nothing(record: TraceRecord) -> str:
    if any(isinstance((s.get("output") or {}).get("documents"), dict) for s in record.get("stages") or []):
        return t(
            "This trace keeps numbers alone. KHUB_TRACE=standard keeps the passages of each stage.",
            "此记录只保留了数量。设置 KHUB_TRACE=standard 后才会保留各阶段的段落。",
        )
    return t("No stage gave any passage.", "没有任何阶段给出段落。")


def lost_badge() -> Badge:
    """Return what stands where a stage dropped a passage."""
    return Badge(t("✕ lost", "✕ 落选"), "bad")


def _cell(step: Step) -> Cell:
    if step.is_lost:
        return Cell(badges=[lost_badge()])
    if step.known is Known.UNKNOWN:
        return Cell(f"> {len(step.ranking.places)}")
    if step.place is None:
        return Cell("–")
    return Cell(f"{step.place.rank} {_moved(step)}", "" if step.place.score is None else f"{step.place.score:.3g}")


def _moved(step: Step) -> str:
    if step.is_new:
        return t("new", "新")
    if not step.moved:
        return "" if step.moved is None else "="
    return f"↑{step.moved}" if step.moved > 0 else f"↓{-step.moved}"


def _legend() -> str:
    return t(
        "Rank, and score below it. ↑ ↓: places gained or lost against the best of the lists before; new: in none of "
        "them; ✕ lost: dropped here; > 20: not among the 20 that a trace keeps. Tick a passage to read it.",
        "名次，下方为得分。↑ ↓：与前面各列表中最好名次相比的升降；新：前面的列表中都没有；✕ 落选：在此被淘汰；"
        "> 20：不在记录保留的前 20 名内。勾选段落可查看原文。",
    )
