"""An answer with its passages."""

import streamlit as st

from khub.components.answer import Answer
from khub.components.answers.markdown import field_notes
from khub.dashboard.language import t
from khub.dashboard.parts.ask.conversation import Turn
from khub.dashboard.parts.ask.export import as_markdown
from khub.dashboard.parts.ask.passage import show_passage
from khub.dashboard.parts.document_text import escaped
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain


def show_answer(turn: Turn) -> None:
    """Show what was answered, what it rests on, and what went otherwise than planned."""
    answer = turn.answer
    if turn.put != turn.question:
        st.caption(t(f"Searched for: {plain(turn.put)}", f"实际检索：{plain(turn.put)}"))
    show_trouble(answer)
    _show_words(answer)
    _show_filters(answer)
    explained = {result["chunk_id"]: result for result in turn.why["results"]}
    above = None
    for place, cited in enumerate(answer.citations):
        why = explained.get(cited.chunk_id)
        show_passage(cited, why, answer.trace_id, first=place == 0, above=above)
        above = why
    _show_ways_on(turn)


def show_trouble(answer: Answer) -> None:
    """Show which stages were replaced, and which legs were left out, with the reasons."""
    for entry in answer.degraded:
        stage, reason = plain(entry.stage), plain(entry.reason)
        st.warning(t(f"Stage {stage} was replaced: {reason}", f"阶段 {stage} 已降级：{reason}"))
    for leg in answer.legs:
        if not leg.used and leg.reason:
            name, reason = plain(leg.name), plain(leg.reason)
            st.caption(t(f"Leg {name} was not used: {reason}", f"未使用检索路 {name}：{reason}"))


def _show_words(answer: Answer) -> None:
    if answer.abstained or not answer.citations:
        st.info(escaped(answer.answer))
        return
    if answer.generated:
        st.markdown(escaped(answer.answer))
        model = plain(str(answer.model))
        st.caption(t(f"Written by {model}", f"由 {model} 生成"))
    else:
        st.markdown(escaped(answer.answer.partition("\n")[0]))
    number, ms = len(answer.citations), round(answer.timings_ms["total"])
    st.caption(t(f"{number} passage{'s' if number > 1 else ''} · {ms} ms", f"{number} 个段落 · {ms} 毫秒"))


def _show_filters(answer: Answer) -> None:
    for applied in answer.filters:
        text = plain(applied.text)
        if applied.dropped:
            st.caption(t(f"Filter not applied: {text} (nothing matches it)", f"未应用过滤：{text}（无匹配）"))
        elif applied.unmatched:
            st.caption(t(f"Nothing matches the filter {text}", f"没有内容符合过滤：{text}"))
        elif applied.from_ == "question":
            st.caption(t(f"Filtered by your words: {text}", f"按提问中的条件过滤：{text}"))
        for note in field_notes([applied], t("en", "zh")):
            st.caption(note)


def _show_ways_on(turn: Turn) -> None:
    trace = turn.answer.trace_id
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            t("Export the answer", "导出答案"),
            as_markdown(turn.question, turn.answer),
            file_name="answer.md",
            mime="text/markdown",
            on_click="ignore",
            key=f"export-{trace}",
        )
        link_to("query_runs", t("How it was found", "查看检索过程"), trace=trace)
        link_to("evaluation", t("Add to the golden set", "加入评测集"), trace=trace)
