"""Ask: a question, its answer, and the page that it stands on."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.page import open_page
from khub.dashboard.parts.ask.answer import show_answer
from khub.dashboard.parts.ask.connected_assistant import show_connected_assistant
from khub.dashboard.parts.ask.conversation import Setting, Turn, begin, put_question, turns
from khub.dashboard.parts.ask.found_pictures import show_example_box, show_found_pictures
from khub.dashboard.parts.ask.side_by_side import show_side_by_side
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.server.reads.hub_reads import collections, reader
from khub.server.reads.listed import query_graphs

WAYS = ("answer", "compare", "pictures")
ALL = ""
"""In the place of a collection's name: all that may be read."""
DEEPEST = 20


def _show() -> None:
    names = collections().names()
    if not names:
        st.info(t("There are no documents yet.", "还没有文档。"))
        link_to("ingestion", t("Add documents", "导入文档"))
    else:
        _show_box(names)
    with st.expander(t("Connect your assistant", "连接 AI 助手")):
        show_connected_assistant()


def _show_box(names: list[str]) -> None:
    way = st.segmented_control(
        t("Show", "显示"),
        WAYS,
        default=WAYS[0],
        required=True,
        format_func=_way_name,
        label_visibility="collapsed",
    )
    if way == "answer" and not _in_address() and (begun := _began_with()):
        st.query_params["q"] = begun  # come back from another page: the answer is still there
    with st.form("question", border=False):
        question = st.text_input(
            t("Question", "问题"),
            value=_in_address(),
            placeholder=t("Ask your documents …", "向文档提问……"),
        )
        with st.container(horizontal=True):
            asked = st.form_submit_button(t("Ask", "提问"))
            follows = (
                way == "answer"
                and bool(turns())
                and st.form_submit_button(
                    t("Ask a follow-up", "追问"), help=t("It builds on your last question.", "结合上一个问题理解。")
                )
            )
    setting, other = _setting([ALL, *names] if way == "answer" and len(names) > 1 else names, way == "compare")
    if way == "pictures":
        show_example_box(setting.collection)
    question = question.strip()
    if (asked or follows) and not question:
        st.warning(t("Type a question first.", "请先输入问题。"))
        return
    if asked:
        st.query_params["q"] = question
    if way == "answer":
        _answer(question, setting, asked, follows)
    elif question and _in_address() == question:
        if way == "compare":
            show_side_by_side(question, (setting.graph, other), setting.collection, setting.filters)
        else:
            show_found_pictures(question, setting.collection)


def _way_name(way: str) -> str:
    return {
        "answer": t("Answer", "答案"),
        "compare": t("Two graphs side by side", "两个流程图对比"),
        "pictures": t("Pictures", "图片"),
    }[way]


def _setting(names: list[str], with_other: bool) -> tuple[Setting, str]:
    """Return where and how is asked, and the graph that is compared with."""
    graphs = query_graphs()
    columns = st.columns(3 if with_other else 2)
    with columns[0]:
        collection = st.selectbox(
            t("Collection", "文档集"),
            names,
            index=_index(names, "collection"),
            format_func=lambda name: name or t("All", "全部"),
        )
    with columns[1]:
        graph = st.selectbox(t("Graph", "流程图"), graphs, index=_index(graphs, "graph", "query"))
    other = graph
    if with_other:
        with columns[2]:
            others = [name for name in graphs if name != graph] or graphs
            other = st.selectbox(t("Compared with", "对比"), others)
    with st.expander(t("Filters and depth", "过滤与数量")):
        filters = st.multiselect(
            t("Only passages that fit", "仅限符合条件的段落"),
            _suggested(collection),
            accept_new_options=True,
            placeholder="type:pdf after:2024-03",
            help=t(
                "Take one, or type your own: type:pdf, lang:zh, tag:contract, after:2024-03, path:reports/*",
                "可选择或自行输入：type:pdf、lang:zh、tag:合同、after:2024-03、path:reports/*",
            ),
        )
        legs = st.segmented_control(
            t("Search", "检索方式"), ("both", "dense", "sparse"), default="both", required=True, format_func=_leg_name
        )
        top_k = st.slider(t("Passages", "段落数"), 1, DEEPEST, 5)
    wanted = () if legs == "both" else (str(legs),)
    return Setting(collection, graph, tuple(filters), wanted, top_k), other


def _leg_name(leg: str) -> str:
    return {
        "both": t("by meaning and words", "语义与关键词"),
        "dense": t("by meaning", "语义"),
        "sparse": t("by words", "关键词"),
    }[leg]


def _suggested(collection: str) -> list[str]:
    if collection == ALL:
        return []
    about = reader().overview(collection)
    tags = [f'tag:"{tag}"' if " " in str(tag) else f"tag:{tag}" for tag in about["tags"]]
    return [
        *(f"type:{kind}" for kind in about["doc_types"]),
        *(f"lang:{language}" for language in about["languages"] if language),
        *tags[:10],
    ]


def _index(names: list[str], parameter: str, otherwise: str = "") -> int:
    wanted = st.query_params.get(parameter, otherwise)
    return names.index(wanted) if wanted in names else 0


def _answer(question: str, setting: Setting, asked: bool, follows: bool) -> None:
    """Ask if that is wanted, and show what has been answered so far.

    :param asked: whether a question was typed that stands by itself.
    :param follows: whether one was typed that builds on those before it.
    """
    by_address = bool(question) and question == _in_address() and _began_with() != question
    if asked or by_address:
        begin()
    if asked or by_address or follows:
        with st.spinner(t("Searching …", "检索中……")):
            put_question(question, setting)
        st.rerun()  # now there is something to ask on from
    for turn in turns()[:-1]:
        _show_earlier(turn)
    if turns():
        st.subheader(plain(turns()[-1].question), anchor=False)
        show_answer(turns()[-1])


def _in_address() -> str:
    """Return the question that stands in the address."""
    return str(st.query_params.get("q", "")).strip()


def _began_with() -> str | None:
    """Return the question that the conversation began with; those that follow it are in no address."""
    return turns()[0].question if turns() else None


def _show_earlier(turn: Turn) -> None:
    with st.expander(plain(turn.question)):
        for cited in turn.answer.citations:
            st.caption(f"\\[{cited.id}\\] {plain(cited.title)}")
        link_to("query_runs", t("How it was found", "查看检索过程"), trace=turn.answer.trace_id)


open_page(t("Ask", "提问"), _show)
