"""A passage of an answer: its text, the page that it stands on, what is around it, and why it was chosen."""

from functools import partial

import streamlit as st

from khub.components.answer import Citation
from khub.components.catalog.parts import shown_name
from khub.components.errors import KhubError
from khub.dashboard.changes import noted
from khub.dashboard.language import t
from khub.dashboard.page import part
from khub.dashboard.parts.ask.why import show_why
from khub.dashboard.parts.document_text import show_document_text
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.page_picture import show_page
from khub.dashboard.plain_text import plain
from khub.server.questions.explained_result import ExplainedResult
from khub.server.reads.hub_reads import document_of, passage_of, reader
from khub.server.reads.joined_text import joined
from khub.server.reads.page_image import boxes_on, is_drawable
from khub.server.traces.feedback import give_feedback

AROUND = 2
"""Passages before and after one that are shown with it."""


def show_passage(
    cited: Citation,
    why: ExplainedResult | None,
    trace_id: str,
    first: bool,
    above: ExplainedResult | None = None,
) -> None:
    """Show a passage in a frame of its own, which is drawn again by itself when something in it is used.

    :param why: where it stood at every stage; None where that is not known.
    :param trace_id: of the answer.
    :param first: whether its page is shown without being asked for.
    :param above: where the citation before it stood; None where there is none, or that is not known.
    """
    part(partial(_passage, cited, why, trace_id, first, above))()


def _passage(
    cited: Citation, why: ExplainedResult | None, trace_id: str, first: bool, above: ExplainedResult | None
) -> None:
    key = f"{trace_id[:8]}-{cited.chunk_id[:12]}"
    with st.container(border=True):
        st.markdown(f"##### [{cited.id}] {plain(cited.title)}")
        st.caption(plain(where(cited)))
        shown = _choices(cited, key, first)
        if cited.page is not None and t("Page", "原页") in shown:
            text, page = st.columns([3, 2])
            with page:
                _show_page(cited, cited.page)
        else:
            text = st.container()
        with text:
            show_document_text(cited.text, cited.evidence)
        if t("Around it", "上下文") in shown:
            _show_around(cited)
        if t("Why this one", "为何选中") in shown and why is not None:
            show_why(why, above)
        _ask_whether_right(cited, trace_id, key)


def where(cited: Citation) -> str:
    """Return where a passage stands, in one line: section, file, page; for `plain`."""
    steps = cited.section.split(" > ")
    section = " › ".join(steps[1:] if steps[0] == cited.title else steps)
    page = t(f"page {cited.page}", f"第 {cited.page} 页") if cited.page else ""
    file = shown_name(cited.source)
    return " · ".join(filter(None, (section, file, page)))


def _choices(cited: Citation, key: str, first: bool) -> list[str]:
    drawable = cited.page is not None and is_drawable(document_of(cited.doc_id))
    options = [t("Page", "原页")] if drawable else []
    options += [t("Around it", "上下文"), t("Why this one", "为何选中")]
    label = t(f"Show of passage {cited.id}", f"显示段落 {cited.id} 的")
    default = options[:1] if drawable and first else []
    return st.pills(
        label, options, selection_mode="multi", default=default, key=f"show-{key}", label_visibility="collapsed"
    )  # type: ignore[return-value]


def _show_page(cited: Citation, page: int) -> None:
    row = document_of(cited.doc_id)
    boxes = boxes_on(passage_of(cited.chunk_id, row["doc_id"]), page)
    show_page(row, page, boxes, where(cited))


def _show_around(cited: Citation) -> None:
    chunk = passage_of(cited.chunk_id, cited.doc_id)
    ordinal = chunk.meta["ordinal"]
    chunks = reader().chunks_between(cited.doc_id, ordinal - AROUND, ordinal + AROUND)
    with st.container(border=True):
        st.caption(t("The passage with what stands before and after it", "该段落及其前后文"))
        show_document_text(joined(chunks))


def _ask_whether_right(cited: Citation, trace_id: str, key: str) -> None:
    right, wrong = t("Right", "正确"), t("Wrong", "有误")
    row = st.container(horizontal=True, vertical_alignment="center")
    with row:
        label = t(f"Was passage {cited.id} right?", f"段落 {cited.id} 是否正确？")
        said = st.pills(label, [right, wrong], key=f"right-{key}", label_visibility="collapsed")
        on_page = {"page": str(cited.page)} if cited.page else {}
        link_to("documents", t("Open the document", "打开文档"), doc=cited.doc_id, **on_page)
    kept = f"said-{key}"
    if said is not None and st.session_state.get(kept) != said:
        try:
            with noted("POST", "/feedback"):
                give_feedback(trace_id, cited.chunk_id, said == right)
        except (OSError, KhubError) as error:
            st.warning(plain(str(error)))
            return
        st.session_state[kept] = said
    if said is not None:
        st.caption(t("Noted: it can become a case of the golden set.", "已记录，可用作评测用例。"))
