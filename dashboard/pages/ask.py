"""Ask: a question, its answer, and beside it the page that it stands on."""

import streamlit as st

from khub.dashboard.language import t, warning
from khub.dashboard.page import open_page
from khub.dashboard.parts.ask.answer import show_answer
from khub.dashboard.parts.ask.connected_assistant import show_connected_assistant
from khub.dashboard.parts.ask.conversation import LOOKED_AT, Setting, begin, choose_turn, put_question, turns
from khub.dashboard.parts.ask.first_questions import show_first_questions
from khub.dashboard.parts.ask.found_pictures import show_example_box, show_found_pictures
from khub.dashboard.parts.ask.setting_box import choose_setting
from khub.dashboard.parts.ask.side_by_side import show_side_by_side
from khub.dashboard.parts.ingestion.samples import offer_samples
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import collections

SAID = "question in the address"


def _show() -> None:
    names = collections().names()
    if names:
        _show_box(names)
    else:
        st.title(t("There are no documents yet", "还没有文档"), anchor=False)
        offer_samples()
        link_to("ingestion", t("Add documents", "导入文档"))
    if not turns():
        with st.expander(t("Connect your assistant", "连接 AI 助手"), icon=":material/hub:"):
            show_connected_assistant()


def _welcome() -> str:
    return t("Answers from your documents, each with its page", "答案出自你的文档，并附原文页面")


def _show_box(names: list[str]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="question-line"):
        question, asked = _question()
        way, setting, other = choose_setting(names)
        if way == "answer" and turns() and st.button(t("New", "新对话"), icon=":material/add_comment:", key="new"):
            begin()
            st.query_params.pop("q", None)
            st.rerun()
    if way != "answer":
        _show_other(way, question if asked else _in_address(), setting, other)
        return
    _answer(question if asked else _new_in_address(), setting)
    if turns():
        turn = choose_turn()
        st.title(plain(turn.question), anchor=False)
        show_answer(turn)
        return
    st.title(_welcome(), anchor=False)
    if chosen := show_first_questions([setting.collection] if setting.collection else names):
        _answer(chosen, setting)


def _question() -> tuple[str, bool]:
    """Show the line to type in, and return what was typed, and whether it is asked now."""
    form = st.form("question", border=False, clear_on_submit=True)
    with form.container(horizontal=True, vertical_alignment="center"):
        question = st.text_input(
            t("Question", "问题"),
            placeholder=t("Ask a follow-up …", "继续追问……") if turns() else t("Ask your documents …", "向文档提问……"),
            label_visibility="collapsed",
        )
        asked = st.form_submit_button(t("Ask", "提问"), type="primary", icon=":material/search:")
    if asked and not question.strip():
        warning("Type a question first.", "请先输入问题。")
    return question.strip(), bool(asked and question.strip())


def _answer(question: str, setting: Setting) -> None:
    """Ask a question, which goes on from those before it."""
    if not question:
        return
    with st.spinner(t("Searching …", "检索中……")):
        put_question(question, setting)
    _say(turns()[-1].put)
    if setting.collection:
        st.query_params["collection"] = setting.collection
    else:
        st.query_params.pop("collection", None)
    st.rerun()


def _new_in_address() -> str:
    """Return a question that the address names and that was not asked here: it begins anew, as a link does."""
    said = _in_address()
    if not said and turns():
        _say(turns()[-1].put)  # come back from another page: the answer is still there
    if not said or (turns() and said == st.session_state.get(SAID)):
        return ""
    _say(said)
    asked = st.query_params.get("collection", "")
    for place, turn in reversed([*enumerate(turns())]):
        if said in (turn.put, turn.question) and turn.setting.collection == asked:
            st.session_state[LOOKED_AT] = place  # come back to it, or to a link to it
            return ""
    begin()
    return said


def _say(question: str) -> None:
    """Let the address name a question, and remember that it does."""
    st.query_params["q"] = st.session_state[SAID] = question


def _in_address() -> str:
    return str(st.query_params.get("q", "")).strip()


def _show_other(way: str, question: str, setting: Setting, other: str) -> None:
    st.title(plain(question) or _welcome(), anchor=False)
    collection = setting.collection or None
    if way == "pictures":
        show_example_box(collection)
    if not question:
        return
    st.query_params["q"] = question
    if way == "compare":
        show_side_by_side(question, (setting.graph, other), collection, setting.filters)
    else:
        show_found_pictures(question, collection)


open_page(t("Ask", "提问"), _show, heading="")
