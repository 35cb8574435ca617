"""Where was this document lost: a part of the page of a run."""

import streamlit as st
from haystack import Document

from khub.components.catalog.access import caller
from khub.components.catalog.document_page import Wanted
from khub.components.catalog.parts import shown_name
from khub.dashboard.language import info, t, warning
from khub.dashboard.page import part
from khub.dashboard.parts.choice import choose
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.runs.candidates import list_columns, lost_badge, passage_cell, passage_name
from khub.dashboard.parts.runs.run_head import link_to_others, show_degraded
from khub.dashboard.parts.table import Cell, Column, Row, show_table
from khub.dashboard.plain_text import plain
from khub.server.questions.lost import End, LegView, Lost, Way, where_lost
from khub.server.reads.hub_reads import collections, reader, title_of
from khub.server.reads.known_passages import known_passages
from khub.server.traces.rankings import Known, Step
from khub.server.traces.trace_record import TraceRecord

MOST_DOCUMENTS = 50
MOST_WAYS = 5
KEPT = "lost documents"


@part
def show_lost(record: TraceRecord) -> None:
    """Let the visitor choose a document, and say at which stage of the run it was lost; the address may name one.

    :param record: of the trace log, of kind `query`.
    """
    collection, named = str(record.get("collection") or ""), st.query_params.get("lost", "")
    row = reader().document(named) if named else None
    if named and row is None:
        warning("There is no such document, or it is closed to you.", "没有这份文档，或您无权查看。")
    if row and collection not in ("", row["collection"]):
        asked, other = plain(collection), plain(row["collection"])
        info(
            f"This run searched {asked} alone; the document is in {other}.",
            f"此次运行只检索了 {asked}；该文档属于 {other}。",
        )
        link_to_others(record, lost=named)
        return
    collection = collection or (row["collection"] if row else "")
    if not collections().exists(collection):
        info("Its collection is gone, or closed to you.", "其文档集已不存在，或您无权查看。")
        return
    own = f"lost-{record.get('trace_id')}"
    with st.container(horizontal=True):
        typed = st.text_input(t("Title or path contains", "标题或路径包含"), key=f"{own}-words", max_chars=500).strip()
        _, rows = reader().page(Wanted(collection, text=typed or None, sort="title"), None, MOST_DOCUMENTS)
        found = [*([row] if row else []), *rows]
        titles = {one["doc_id"]: f"{title_of(one)} ({shown_name(one['source'])})" for one in found}
        none = t(f"choose one of {len(titles)}", f"从 {len(titles)} 份中选择")
        doc_id = choose("lost", t("Document", "文档"), ["", *titles], "", lambda one: titles.get(one, none))
        if not doc_id:
            return
        chunks = [chunk.id for chunk in reader().chunks_of_section(doc_id, "")]
        known = known_passages(collection, chunks)
        chunk_id = st.selectbox(
            t("Passage", "段落"),
            ["", *chunks],
            format_func=lambda i: passage_name(i, known.get(i)) if i else t("any of the document", "文档的任一段落"),
            key=f"{own}-passage-{doc_id}",
        )
    lost = _found(record, doc_id, chunk_id)
    _show_found(lost, collection, known)
    if record.get("together") and lost.ways and lost.ways[0].end is End.SHOWN:
        st.write(
            t(
                "That is the answer of this collection; the answer of all collections leaves out those that know less.",
                "这是该文档集的回答；全部文档集合并的回答会略去把握较小的文档集。",
            )
        )


def _found(record: TraceRecord, doc_id: str, chunk_id: str) -> Lost:
    """Return where it was lost; what was found once in a visit is kept: it may take to ask the question again."""
    of = (record.get("trace_id"), doc_id, chunk_id, caller())
    kept: dict[object, Lost] = st.session_state.setdefault(KEPT, {})
    if of not in kept:
        with st.spinner(t("Looking; maybe the question is asked again …", "正在查找，可能需要重新提问……")):
            kept[of] = where_lost(record, doc_id, chunk_id or None)
    return kept[of]


def _show_found(found: Lost, collection: str, known: dict[str, Document]) -> None:
    if found.trace_id:
        info(
            "The record alone does not tell: the question was asked again just now, through the graph and of the "
            "documents as they are now, and every list was followed to its end.",
            "仅凭记录无法判断：刚刚用当前的图和文档重新提问，并完整跟踪了每个列表。",
        )
        link_to("query_runs", t("The new trace", "新的记录"), trace=found.trace_id)
    if found.changed_since:
        warning("The document was changed after this run.", "此次提问之后，该文档有过更新。")
    show_degraded(found.degraded)
    if not found.ways:
        warning("The document has no passages: nothing of it can be found.", "该文档没有段落，无法被检索到。")
        return
    st.write(f"**{_verdict(found)}**")
    if found.same_as and found.ways[0].end is End.DROPPED:
        other = known_passages(collection, [found.same_as]).get(found.same_as)
        st.write(t("Another passage says the same and stands for it:", "另一个内容相同的段落代替了它："))
        st.text(passage_name(found.same_as, other))
    if found.legs:
        _show_why(found)
    shown = found.ways[:MOST_WAYS]
    title = f"{t('Passage', '段落')} ({len(shown)}/{len(found.ways)})"
    columns = [Column(title, kind="main"), *list_columns([step.ranking for step in shown[0].steps])]
    rows = [
        Row(way.chunk_id, [passage_cell(way.chunk_id, known.get(way.chunk_id)), *(_cell(way, s) for s in way.steps)])
        for way in shown
    ]
    show_table(t("Where its passages stood", "各段落的名次"), columns, rows, "ways")


def _verdict(found: Lost) -> str:
    best = found.ways[0]
    if best.end is End.SHOWN:
        return t("It was not lost: the answer cites it.", "没有落选：回答引用了它。")
    if best.end is End.NEVER_FOUND:
        if found.is_filtered:
            return t("The filter of the question leaves it out.", "提问的筛选条件将它排除在外。")
        return t("No leg handed on a passage of it.", "各检索方式给出的段落中都没有它。")
    last, rank = next((step.ranking, step.place.rank) for step in reversed(best.steps) if step.place)
    stage, kept = (plain(best.lost_at.name), best.lost_at.count) if best.lost_at else ("", 0)
    return t(
        f"It was lost at {stage}: at {plain(last.name)} it stood at rank {rank} of {last.count}, and {stage} handed on "
        f"{kept}.",
        f"在 {stage} 落选：在 {plain(last.name)} 中排第 {rank} 名（共 {last.count} 个），"
        f"而 {stage} 只保留了 {kept} 个。",
    )


def _show_why(found: Lost) -> None:
    columns = [
        Column(t("Leg", "检索方式")),
        Column(t("Handed on", "给出段落"), kind="number"),
        Column(t("Why not", "原因"), kind="main"),
    ]
    rows = [Row(leg.name, [Cell(leg.name), Cell(str(leg.hits)), Cell(_why_not(leg))]) for leg in found.legs]
    show_table(t("Why no leg handed it on", "未被检索到的原因"), columns, rows, "lost-legs")
    held, missing = " · ".join(found.held), " · ".join(found.missing)
    st.write(t("Words of the question that its nearest passage holds:", "最接近的段落包含的提问词："))
    st.text(held or t("none", "无"))
    if missing:
        st.write(t("Words that it does not hold:", "不包含的提问词："))
        st.text(missing)


def _why_not(leg: LegView) -> str:
    if not leg.used:
        return t("not used: {}", "未使用：{}").format(leg.reason or "?")
    if leg.cosine is not None and leg.least is not None:
        return t(
            f"the cosine of its nearest passage is {leg.cosine:.3f}; the last that was handed on has {leg.least:.3f}",
            f"最接近的段落余弦为 {leg.cosine:.3f}；给出的最后一个为 {leg.least:.3f}",
        )
    if leg.least is not None:
        return t(f"the last that was handed on has {leg.least:.3g}", f"给出的最后一个得分为 {leg.least:.3g}")
    return leg.reason or t("it found nothing", "没有找到任何段落")


def _cell(found: Way, step: Step) -> Cell:
    if step.place is not None:
        return Cell(str(step.place.rank), "" if step.place.score is None else f"{step.place.score:.3g}")
    if found.lost_at is step.ranking:
        return Cell(badges=[lost_badge()])
    return Cell("?" if step.known is Known.UNKNOWN else "–")
