"""What is to be evaluated, and the button that starts it."""

import os
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

from khub.components.errors import GoldenSetError, KhubError
from khub.dashboard.language import caption, t, warning
from khub.dashboard.parts.evaluation.evaluation_button import offer_start
from khub.eval.background.task import KHUB
from khub.eval.commands.shared import SAMPLES
from khub.eval.run.evaluation import DEFAULT_EVALUATION
from khub.eval.run.known_sets import HERE, OF_HUB, SHIPPED, KnownSet, known_sets
from khub.eval.run.own_collection import folder_of
from khub.server.http.ingest_roots import path_for_caller
from khub.server.reads.hub_reads import collections
from khub.server.reads.listed import graphs_of

OWN, FILLED = "own", "filled"
MOST_GRAPHS = 2
JUDGE_KEY = "KHUB_JUDGE_API_KEY"


def start_form() -> None:
    """Let the visitor choose golden sets, documents and graphs, and start."""
    sets = st.multiselect(
        t("Golden sets", "评测集"),
        known := _readable_sets(),
        default=known[:1],
        format_func=_set_label,
    )
    where = _documents()
    graphs = st.multiselect(
        t("Graphs: one, or two to compare", "流程图：一个，或两个作比较"),
        names := graphs_of("query"),
        default=["query"] if "query" in names else None,
        max_selections=MOST_GRAPHS,
    )
    judge = _judge()
    top_k = st.number_input(t("Citations asked for", "引用数量"), 1, 100, 10)
    words = ["eval", "run", *(word for one in sets for word in ("--set", str(one.file)))]
    words += [*(where or []), *(word for graph in graphs for word in ("--graph", graph))]
    words += [*(["--judge", judge] if judge else []), "--top-k", str(int(top_k))]
    offer_start(t("Start", "开始评测"), bool(sets and graphs and where), KHUB, words)


def _readable_sets() -> list[KnownSet]:
    found = known_sets()
    for one in found:
        if one.problem:
            warning("A golden set cannot be read:", "有一个评测集无法读取：")
            st.text(str(one.problem))
    readable = [one for one in found if not one.problem]
    if not readable:
        raise GoldenSetError(
            t("there is no golden set yet", "还没有评测集"),
            t(
                "make a case of a question under “Golden set”, or: khub synth",
                "请在“评测题”中添加，或用 khub synth 生成",
            ),
        )
    return readable


def _set_label(one: KnownSet) -> str:
    places = {
        OF_HUB: t("of this hub", "本知识库"),
        HERE: t("working folder", "工作目录"),
        SHIPPED: t("shipped, about the samples", "自带，针对示例文档"),
    }
    place = places[one.place]
    return t(f"{one.name} ({one.questions} questions, {place})", f"{one.name}（{one.questions} 题，{place}）")


def _documents() -> list[str] | None:
    """Return the options that say which documents are asked about; None where there are none to choose."""
    names = collections().names()
    says = {
        OWN: t("A collection of the hub, as it is", "现有文档集"),
        FILLED: t("A collection of its own, filled from a folder", "用文件夹新建的临时文档集"),
    }
    where = st.radio(
        t("Documents", "文档"), [OWN, FILLED] if names else [FILLED], format_func=says.__getitem__, horizontal=True
    )
    if where == OWN:
        name = st.selectbox(t("Collection", "文档集"), names)
        folder = _text(t("Folder that the sets name files from", "评测集中文件名的起始文件夹"), _folder(name))
        return ["--collection", name, "--documents", folder] if folder else None
    folder = _text(t("Folder of the documents", "文档所在文件夹"), str(SAMPLES) if SAMPLES.is_dir() else "")
    if folder and folder != str(SAMPLES):
        folder = path_for_caller(folder)  # what lies in it is ingested, and shown
    fitting = t("the one that fits", "自动选择")
    makers = ["", *graphs_of("ingest")]
    chosen = st.selectbox(t("Ingest graph", "导入流程图"), makers, format_func=lambda one: one or fitting)
    return ["--documents", folder, *(["--ingest", chosen] if chosen else [])] if folder else None


def _text(label: str, value: str) -> str:
    given = st.text_input(label, value, key=f"folder-{value}").strip()
    return str(Path(given).expanduser().absolute()) if given else ""


def _folder(collection: str) -> str:
    try:
        return str(folder_of(collection))
    except KhubError:  # the visitor names it
        return ""


def _judge() -> str:
    """Return the judging graph that is chosen, empty for none; where none can judge, say what is missing."""
    if os.environ.get(JUDGE_KEY) and find_spec("deepeval"):
        names = [name for name in graphs_of("evaluate") if name != DEFAULT_EVALUATION]
        none, label = t("none", "不用"), t("Judge (DeepEval)", "评委模型（DeepEval）")
        return st.selectbox(label, ["", *names], format_func=lambda one: one or none)
    caption(
        f"For figures that a language model judges: install the extra `eval` (DeepEval), set `{JUDGE_KEY}`, and "
        "name the model's server in the graph `more/evaluate_judged`.",
        f"如需由语言模型评判：安装 `eval` 附加包（DeepEval），设置 `{JUDGE_KEY}`，并在流程图 "
        "`more/evaluate_judged` 中填写模型服务。",
    )
    return ""
