"""An answer with its passages, and the page of the one that is looked at."""

from collections.abc import Sequence

import streamlit as st

from khub.components.answer import Answer, Citation
from khub.components.answers.markdown import field_notes, filter_notes
from khub.components.catalog.parts import shown_name
from khub.components.errors import KhubError
from khub.dashboard.changes import noted
from khub.dashboard.language import t
from khub.dashboard.page import part
from khub.dashboard.parts.ask.conversation import Turn
from khub.dashboard.parts.ask.export import as_markdown
from khub.dashboard.parts.ask.why import why
from khub.dashboard.parts.document_html import document_html
from khub.dashboard.parts.player import show_player
from khub.dashboard.parts.reader.reader import Link, PassageData, ReaderData, Shown, show_reader, told_by
from khub.dashboard.parts.reader.sheet import SheetData, sheet_of
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import document_of, passage_of
from khub.server.traces.feedback import give_feedback

JUDGED = "judged passages"
"""Under this key stands what the visitor has said of passages: (trace, chunk) -> whether it was right."""


@part
def show_answer(turn: Turn) -> None:
    """Show what was answered, what it rests on, and what went otherwise than planned."""
    key = f"answer {turn.answer.trace_id}"
    told = told_by(key)
    if judged := told.get("judged"):
        _judge(turn.answer.trace_id, judged["chunk_id"], judged["right"])
    show_reader(_data(turn, told.get("unfolded", ())), _sheet(turn.answer, told.get("shown")), key)
    cited = _looked_at(turn.answer, told.get("shown"))
    if cited is not None and cited.time_mark:
        show_player(document_of(cited.doc_id), cited.time_mark)


def _data(turn: Turn, unfolded: Sequence[int]) -> ReaderData:
    answer, explained = turn.answer, {result["chunk_id"]: result for result in turn.why["results"]}
    judged = st.session_state.get(JUDGED, {})
    passages: list[PassageData] = []
    above = None
    told = [line for say in (filter_notes, field_notes) for line in say(answer.filters, t("en", "zh"))]
    for cited in answer.citations:
        result = explained.get(cited.chunk_id)
        passages.append(
            {
                "number": cited.id,
                "title": cited.title,
                "where": where(cited),
                "html": document_html(cited.text),
                "evidence": cited.evidence,
                "chunk_id": cited.chunk_id,
                "address": _address(answer, cited),
                "page": cited.page,
                "why": why(result, above) if result is not None and cited.id in unfolded else None,
                "right": judged.get((answer.trace_id, cited.chunk_id)),
            }
        )
        above = result
    return {
        "turn": answer.trace_id,
        "shown": 0,
        "lead": _lead(answer),
        "notes": [*trouble(answer), *(("note", line) for line in told)],
        "facts": _facts(turn),
        "passages": passages,
        "links": _links(answer),
        "markdown": as_markdown(turn.question, answer) if answer.citations or answer.generated else "",
        "judges": True,
    }


def _sheet(answer: Answer, shown: Shown | None) -> SheetData | None:
    """Return the page that is looked at; None before the browser has asked for it, so that the answer comes first."""
    cited = _looked_at(answer, shown)
    if cited is None or shown is None:
        return None
    row = document_of(cited.doc_id)
    return sheet_of(row, shown["page"], passage_of(cited.chunk_id, cited.doc_id), cited.evidence)


def _looked_at(answer: Answer, shown: Shown | None) -> Citation | None:
    return next((one for one in answer.citations if shown and one.id == shown["number"]), None)


def _address(answer: Answer, cited: Citation) -> dict[str, str]:
    """Return where a passage stands in its document, with the run that says what of it answers."""
    place = {"page": str(cited.page)} if cited.page else {"time": cited.time_mark} if cited.time_mark else {}
    trace = _runs(answer).get(cited.collection or "", answer.trace_id)
    return {"doc": cited.doc_id, **place, "chunk": cited.chunk_id, "trace": trace}


def _runs(answer: Answer) -> dict[str, str]:
    """Return the runs of the collections that were asked, where they were several."""
    return {one.name: one.trace_id for one in answer.collections or ()}


def _lead(answer: Answer) -> str:
    whole = answer.abstained or not answer.citations or answer.generated
    return document_html(answer.answer if whole else answer.answer.partition("\n")[0])


def trouble(answer: Answer) -> list[tuple[str, str]]:
    """Return which stages were replaced, and which legs were left out, with the reasons."""
    said = [
        ("warning", t(f"Stage {one.stage} was replaced: {one.reason}", f"阶段 {one.stage} 已降级：{one.reason}"))
        for one in answer.degraded
    ]
    return said + [
        ("note", t(f"Leg {leg.name} was not used: {leg.reason}", f"未使用检索路 {leg.name}：{leg.reason}"))
        for leg in answer.legs
        if not leg.used and leg.reason
    ]


def _facts(turn: Turn) -> str:
    answer = turn.answer
    number, ms = len(answer.citations), round(answer.timings_ms["total"])
    facts = [
        t(f"Written by {answer.model}", f"由 {answer.model} 生成") if answer.generated else "",
        t(f"{number} passage{'s' if number > 1 else ''}", f"{number} 个段落") if number else "",
        t(f"{ms} ms", f"{ms} 毫秒"),
        t(f"searched for: {turn.put}", f"实际检索：{turn.put}") if turn.put != turn.question else "",
    ]
    return " · ".join(fact for fact in facts if fact)


def _links(answer: Answer) -> list[Link]:
    """Return the ways to the runs, one of each collection that is cited, and to the golden set."""
    cited = {one.collection for one in answer.citations}
    runs = {name: trace for name, trace in _runs(answer).items() if name in cited}
    label = t("How it was found", "查看检索过程")
    several = {f"{label}: {name}": trace for name, trace in runs.items()}
    found = several if len(runs) > 1 else {label: next(iter(runs.values()), answer.trace_id)}
    ways: list[Link] = [{"label": name, "to": "query_runs", "address": {"trace": one}} for name, one in found.items()]
    label = t("Add to evaluation", "加入评测集")
    return [*ways, {"label": label, "to": "evaluation", "address": {"trace": answer.trace_id}}]


def where(cited: Citation) -> str:
    """Return where a passage stands, in one line: section, file, page or time."""
    steps = cited.section.split(" > ")
    section = " › ".join(steps[1:] if steps[0] == cited.title else steps)
    page = t(f"page {cited.page}", f"第 {cited.page} 页") if cited.page else ""
    page = f"[{cited.time_mark}]" if cited.time_mark else page
    return " · ".join(filter(None, (section, shown_name(cited.source), page)))


def _judge(trace_id: str, chunk_id: str, right: bool) -> None:
    try:
        with noted("POST", "/feedback"):
            give_feedback(trace_id, chunk_id, right)
    except (OSError, KhubError) as error:
        st.warning(plain(str(error)))
        return
    st.session_state.setdefault(JUDGED, {})[trace_id, chunk_id] = right
