"""Where was this document lost: a part of the page of a run."""

import streamlit as st
from haystack import Document

from khub.components.catalog.document_page import Wanted
from khub.components.catalog.parts import shown_name
from khub.dashboard.language import t
from khub.dashboard.page import part
from khub.dashboard.parts.html_table import show_table, small, strong, text
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.runs.candidates import passage_name
from khub.dashboard.plain_text import plain
from khub.server.questions.lost import End, LegView, Lost, Way, where_lost
from khub.server.reads.hub_reads import collections, reader, title_of
from khub.server.reads.known_passages import known_passages
from khub.server.traces.rankings import Known, Step
from khub.server.traces.trace_record import TraceRecord

MOST_DOCUMENTS = 50
MOST_WAYS = 5


def show_lost(record: TraceRecord) -> None:
    """Let the visitor choose a document of the collection, and say at which stage of the run it was lost.

    :param record: of the trace log, of kind `query`.
    """
    _part(record)


def _show(record: TraceRecord) -> None:
    collection = str(record.get("collection") or "")
    if not collections().exists(collection):
        st.info(t("Its collection is gone, or closed to you.", "其文档集已不存在，或您无权查看。"))
        return
    own = f"lost-{record.get('trace_id')}"
    typed = st.text_input(t("Title or path contains", "标题或路径包含"), key=f"{own}-words", max_chars=500).strip()
    total, rows = reader().page(Wanted(collection, text=typed or None, sort="title"), None, MOST_DOCUMENTS)
    if not rows:
        st.info(t("No document fits.", "没有符合条件的文档。"))
        return
    if total > len(rows):
        st.write(t(f"The first {len(rows)} of {total:,} documents:", f"共 {total:,} 份文档，列出前 {len(rows)} 份："))
    titles = {row["doc_id"]: f"{title_of(row)} ({shown_name(row['source'])})" for row in rows}
    doc_id = st.selectbox(t("Document", "文档"), list(titles), format_func=titles.__getitem__, key=f"{own}-document")
    chunks = [chunk.id for chunk in reader().chunks_of_section(doc_id, "")]
    known = known_passages(collection, chunks)
    chunk_id = st.selectbox(
        t("Passage", "段落"),
        ["", *chunks],
        format_func=lambda i: passage_name(i, known.get(i)) if i else t("any of the document", "文档的任一段落"),
        key=f"{own}-passage-{doc_id}",
    )
    if st.button(t("Find where it was lost", "查找落选原因"), key=f"{own}-find"):
        with st.spinner(t("Looking; maybe the question is asked again …", "正在查找，可能需要重新提问……")):
            found = where_lost(record, doc_id, chunk_id or None)
        _show_found(found, collection, known)


_part = part(_show)


def _show_found(found: Lost, collection: str, known: dict[str, Document]) -> None:
    if found.trace_id:
        st.info(
            t(
                "The record alone does not tell: the question was asked again just now, through the graph and of the "
                "documents as they are now, and every list was followed to its end.",
                "仅凭记录无法判断：刚刚用当前的图和文档重新提问，并完整跟踪了每个列表。",
            )
        )
        link_to("query_runs", t("The new trace", "新的记录"), trace=found.trace_id)
    if found.changed_since:
        st.warning(t("The document was changed after this run.", "此次提问之后，该文档有过更新。"))
    for entry in found.degraded:
        st.warning(
            t("Degraded: {}: {}", "已降级：{}：{}").format(
                plain(str(entry.get("stage"))), plain(str(entry.get("reason")))
            )
        )
    if not found.ways:
        st.warning(t("The document has no passages: nothing of it can be found.", "该文档没有段落，无法被检索到。"))
        return
    st.write(f"**{_verdict(found)}**")
    if found.same_as and found.ways[0].end is End.DROPPED:
        other = known_passages(collection, [found.same_as]).get(found.same_as)
        st.write(t("Another passage says the same and stands for it:", "另一个内容相同的段落代替了它："))
        st.text(passage_name(found.same_as, other))
    if found.legs:
        _show_why(found)
    shown = found.ways[:MOST_WAYS]
    if len(found.ways) > len(shown):
        st.write(
            t(
                f"The {len(shown)} of its {len(found.ways)} passages that came furthest:",
                f"共 {len(found.ways)} 个段落，列出走得最远的 {len(shown)} 个：",
            )
        )
    lists = [step.ranking for step in shown[0].steps]
    show_table(
        t("Where its passages stood", "各段落的名次"),
        (t("Passage", "段落"), *(f"{ranking.name} ({ranking.count})" for ranking in lists)),
        [(text(passage_name(w.chunk_id, known.get(w.chunk_id))), *(_cell(w, s) for s in w.steps)) for w in shown],
    )


def _verdict(found: Lost) -> str:
    best = found.ways[0]
    if best.end is End.SHOWN:
        return t("It was not lost: the answer cites it.", "没有落选：回答引用了它。")
    if best.end is End.NEVER_FOUND:
        if found.is_filtered:
            return t("The filter of the question leaves it out.", "提问的筛选条件将它排除在外。")
        return t("No leg found any passage of it.", "没有任何检索方式找到它的段落。")
    last, rank = next((step.ranking, step.place.rank) for step in reversed(best.steps) if step.place)
    stage, kept = (plain(best.lost_at.name), best.lost_at.count) if best.lost_at else ("", 0)
    return t(
        f"It was lost at {stage}: at {plain(last.name)} it stood at rank {rank} of {last.count}, and {stage} handed on "
        f"{kept}.",
        f"在 {stage} 落选：在 {plain(last.name)} 中排第 {rank} 名（共 {last.count} 个），"
        f"而 {stage} 只保留了 {kept} 个。",
    )


def _show_why(found: Lost) -> None:
    head = (t("Leg", "检索方式"), t("Hits", "命中"), t("Why not", "原因"))
    show_table(t("Why no leg found it", "未被检索到的原因"), head, [_leg(leg) for leg in found.legs])
    held, missing = " · ".join(found.held), " · ".join(found.missing)
    st.write(t("Words of the question that its nearest passage holds:", "最接近的段落包含的提问词："))
    st.text(held or t("none", "无"))
    if missing:
        st.write(t("Words that it does not hold:", "不包含的提问词："))
        st.text(missing)


def _leg(leg: LegView) -> tuple[str, ...]:
    if not leg.used:
        why = t("not used: {}", "未使用：{}").format(leg.reason or "?")
    elif leg.cosine is not None and leg.least is not None:
        why = t(
            f"the cosine of its nearest passage is {leg.cosine:.3f}; the last that it found has {leg.least:.3f}",
            f"最接近的段落余弦为 {leg.cosine:.3f}；找到的最后一个为 {leg.least:.3f}",
        )
    elif leg.least is not None:
        why = t(f"the last that it found has {leg.least:.3g}", f"找到的最后一个得分为 {leg.least:.3g}")
    else:
        why = leg.reason or t("it found nothing", "没有找到任何段落")
    return strong(leg.name), text(leg.hits), text(why)


def _cell(found: Way, step: Step) -> str:
    if step.place is not None:
        return strong(step.place.rank) + ("" if step.place.score is None else small(f"{step.place.score:.3g}"))
    if found.lost_at is step.ranking:
        return strong(t("✕ lost", "✕ 落选"))
    return small("?" if step.known is Known.UNKNOWN else "–")
