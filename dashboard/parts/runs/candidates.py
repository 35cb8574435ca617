"""The passages of a run: at which rank each stage had them, and how they moved."""

import streamlit as st
from haystack import Document

from khub.components.catalog.parts import shown_name
from khub.dashboard.language import t
from khub.dashboard.parts.html_table import show_table, small, strong, text
from khub.dashboard.parts.link import link_to
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
    show_table(
        t("Passages by stage", "各阶段的段落"),
        (t("Passage", "段落"), *map(_title, lists)),
        [(_passage(i, known.get(i)), *(_cell(step) for step in way(lists, i))) for i in shown],
    )
    st.write(_legend())
    _show_one(own, shown, known)


def passage_name(chunk_id: str, chunk: Document | None) -> str:
    """Return how a passage is called in a line of text; its id where it is not opened to the visitor."""
    if chunk is None:
        return f"{chunk_id[:8]} ({t('gone or closed', '已不存在或无权查看')})"
    where = [_document_name(chunk), str(chunk.meta.get("section") or "").rpartition(" > ")[2]]
    if chunk.meta.get("page") is not None:
        where.append(t("page {}", "第 {} 页").format(chunk.meta["page"]))
    return " · ".join(filter(None, where))


def show_passage(chunk_id: str, chunk: Document | None) -> None:
    """Show a passage's text and the way to its document, as far as it is opened to the visitor."""
    if chunk is None:
        st.info(
            t(
                "Passage {} is no longer there, or it is closed to you.",
                "段落 {} 已不存在，或您无权查看。",
            ).format(f"`{chunk_id}`")
        )
        return
    meta = chunk.meta
    st.text(chunk.content or "")
    page = {} if meta.get("page") is None else {"page": str(meta["page"])}
    address = {"doc": str(meta["doc_id"]), **page}
    link_to("documents", t("Open the document", "打开文档"), **address)


def _show_one(own: str, ids: list[str], known: dict[str, Document]) -> None:
    numbers = {chunk_id: number for number, chunk_id in enumerate(ids, start=1)}
    chosen = st.selectbox(
        t("Read a passage", "查看段落"),
        ids,
        index=None,
        format_func=lambda i: f"{numbers[i]}. {passage_name(i, known.get(i))}",
        placeholder=t("Choose one of the table", "从表中选择"),
        key=f"{own}-one",
    )
    if chosen:
        show_passage(chosen, known.get(chosen))


def _nothing(record: TraceRecord) -> str:
    if any(isinstance((s.get("output") or {}).get("documents"), dict) for s in record.get("stages") or []):
        return t(
            "This trace keeps numbers alone. KHUB_TRACE=standard keeps the passages of each stage.",
            "此记录只保留了数量。设置 KHUB_TRACE=standard 后才会保留各阶段的段落。",
        )
    return t("No stage gave any passage.", "没有任何阶段给出段落。")


def _title(ranking: Ranking) -> str:
    return f"{ranking.name} ({ranking.count})"


def _passage(chunk_id: str, chunk: Document | None) -> str:
    if chunk is None:
        return strong(chunk_id[:8]) + small(t("gone or closed", "已不存在或无权查看"))
    page = chunk.meta.get("page")
    where = [shown_name(str(chunk.meta.get("source") or ""))]
    where += [] if page is None else [t("page {}", "第 {} 页").format(page)]
    section = str(chunk.meta.get("section") or "")
    return strong(_document_name(chunk)) + small(" · ".join(where)) + (small(section) if section else "")


def _document_name(chunk: Document) -> str:
    return str(chunk.meta.get("title") or shown_name(str(chunk.meta.get("source") or "")) or chunk.id)


def _cell(step: Step) -> str:
    if step.is_lost:
        return strong(t("✕ lost", "✕ 落选"))
    if step.known is Known.UNKNOWN:
        return small(t("not in the first {}", "不在前 {} 名").format(len(step.ranking.places)))
    if step.place is None:
        return small("–")
    score = "" if step.place.score is None else small(f"{step.place.score:.3g}")
    return strong(step.place.rank) + f" {text(_moved(step))}" + score


def _moved(step: Step) -> str:
    if step.is_new:
        return t("new", "新")
    if not step.moved:
        return "" if step.moved is None else "="
    return f"↑{step.moved}" if step.moved > 0 else f"↓{-step.moved}"


def _legend() -> str:
    return t(
        "The number is the rank, below it the score. ↑ and ↓: so many places up or down, against the best rank in the "
        "lists that the stage was given; = stays; new: none of these lists has it; ✕ lost: this stage dropped it. A "
        "trace keeps the first 20 of each list.",
        "数字为名次，下方为得分。↑、↓：与该阶段收到的列表中的最好名次相比，上升或下降几位；= 不变；"
        "新：这些列表中都没有；✕ 落选：被该阶段淘汰。记录只保留每个列表的前 20 名。",
    )
