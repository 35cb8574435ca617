"""Where is asked, and behind one button how: it stays as it was chosen as long as the visit lasts.

The collection stays longer: the browser remembers it.
"""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.ask.conversation import Setting
from khub.dashboard.parts.ask.kept_scope import keep_scope, kept_scope
from khub.server.reads.hub_reads import reader
from khub.server.reads.listed import query_graphs

WAYS = ("answer", "compare", "pictures")
ALL = ""
"""In the place of a collection's name: all that may be read."""
DEEPEST = 20
USUAL = 5
GRAPH = "query"
KEPT = "ask setting"
"""Under this key stands what the widgets held: they forget it while another page is looked at."""


def choose_setting(names: list[str]) -> tuple[str, Setting, str]:
    """Show both, and return what is shown of an answer, where and how is asked, and the graph to compare with.

    :param names: of the collections that may be read.
    """
    _take_address(names)
    _keep(names)
    collection = st.selectbox(
        t("Collection", "文档集"),
        _collections(names),
        format_func=lambda name: name or t("All documents", "全部文档"),
        label_visibility="collapsed",
        width=170,
        key="ask collection",
    )
    hint = t("Filters, graph, depth, pictures", "过滤、流程图、数量、图片")
    with st.popover("", icon=":material/tune:", help=hint, width="content"):
        way = st.segmented_control(t("Show", "显示"), WAYS, required=True, format_func=_way_name, key="ask way")
        if way != "pictures":
            _choose_how(collection, way == "compare")
    st.session_state[KEPT] = {key: st.session_state[key] for key in st.session_state[KEPT] if key in st.session_state}
    if len(names) > 1:
        keep_scope(collection or ALL)
    said = {key: st.session_state[f"ask {key}"] for key in ("filters", "graph", "other", "legs", "passages")}
    legs = () if said["legs"] == "both" else (str(said["legs"]),)
    setting = Setting(collection or ALL, str(said["graph"]), tuple(said["filters"]), legs, said["passages"])
    return str(way), setting, str(said["other"])


def _choose_how(collection: str | None, compared: bool) -> None:
    """Show what a way of asking heeds, and nothing else: two graphs are compared as each of them is."""
    filters = st.session_state["ask filters"]
    st.multiselect(
        t("Only passages that fit", "仅限符合条件的段落"),
        list(dict.fromkeys([*_suggested(collection), *filters])),
        accept_new_options=True,
        placeholder="type:pdf after:2024-03",
        help=t(
            "Take one, or type your own: type:pdf, lang:zh, tag:contract, after:2024-03, path:reports/*",
            "可选择或自行输入：type:pdf、lang:zh、tag:合同、after:2024-03、path:reports/*",
        ),
        key="ask filters",
    )
    graphs = query_graphs()
    graph = st.selectbox(t("Graph", "流程图"), graphs, key="ask graph")
    if compared:
        st.selectbox(t("Compared with", "对比"), [name for name in graphs if name != graph] or graphs, key="ask other")
        return
    legs = ("both", "dense", "sparse")
    st.segmented_control(t("Search", "检索方式"), legs, required=True, format_func=_leg_name, key="ask legs")
    st.slider(t("Passages", "段落数"), 1, DEEPEST, key="ask passages")


def _collections(names: list[str]) -> list[str]:
    return [ALL, *names] if len(names) > 1 else names


def _keep(names: list[str]) -> None:
    """Let the widgets hold what they held on this page before; what there is no more is forgotten."""
    graphs, kept = query_graphs(), st.session_state.get(KEPT, {})
    scopes = _collections(names)
    usual = {
        "ask way": (WAYS, WAYS[0]),
        "ask collection": (scopes, next(one for one in (kept_scope(), scopes[0]) if one in scopes)),
        "ask graph": (graphs, GRAPH if GRAPH in graphs else next(iter(graphs), "")),
        "ask other": (graphs, next((name for name in graphs if name != GRAPH), GRAPH)),
        "ask legs": (("both", "dense", "sparse"), "both"),
        "ask passages": (range(1, DEEPEST + 1), USUAL),
    }
    for key, (options, otherwise) in usual.items():
        held = st.session_state.get(key, kept.get(key, otherwise))
        st.session_state[key] = held if held in options else otherwise
    st.session_state["ask filters"] = list(st.session_state.get("ask filters", kept.get("ask filters", ())))
    st.session_state[KEPT] = dict.fromkeys([*usual, "ask filters"])


def _take_address(names: list[str]) -> None:
    """Take the collection and the graph that the address names, once."""
    for parameter, options in (("collection", names), ("graph", query_graphs())):
        said, seen = st.query_params.get(parameter), f"ask {parameter} in the address"
        if said != st.session_state.get(seen) and said in options:
            st.session_state[f"ask {parameter}"] = said
        st.session_state[seen] = said


def _way_name(way: str) -> str:
    return {
        "answer": t("Answer", "答案"),
        "compare": t("Two graphs side by side", "两个流程图对比"),
        "pictures": t("Pictures", "图片"),
    }[way]


def _leg_name(leg: str) -> str:
    return {
        "both": t("by meaning and words", "语义与关键词"),
        "dense": t("by meaning", "语义"),
        "sparse": t("by words", "关键词"),
    }[leg]


def _suggested(collection: str | None) -> list[str]:
    if not collection:
        return []
    about = reader().overview(collection)
    tags = [f'tag:"{tag}"' if " " in str(tag) else f"tag:{tag}" for tag in about["tags"]]
    return [
        *(f"type:{kind}" for kind in about["doc_types"]),
        *(f"lang:{language}" for language in about["languages"] if language),
        *tags[:10],
    ]
