"""What each stage of a graph is worth: the last table of `khub eval ablate`, and how to make one."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from khub.components.errors import FileError
from khub.components.home import hub_home
from khub.dashboard.language import caption, info, t
from khub.dashboard.parts.evaluation.evaluation_button import offer_start
from khub.dashboard.parts.evaluation.evaluation_words import show_report, word
from khub.eval.ablate.report import table_of
from khub.eval.background.task import KHUB
from khub.server.http.ingest_roots import path_for_caller
from khub.server.reads.listed import query_graphs

SAMPLE = 200


def ablation() -> None:
    """Show the newest table of this hub, and a form that makes one."""
    if (file := _newest()) is None:
        info("No ablation has been made in this hub yet.", "本知识库还没有做过消融实验。")
    else:
        _table(file)
    st.subheader(t("Make one", "新建"), anchor=False)
    _form()


def _newest() -> Path | None:
    found = (hub_home() / "eval" / "ablate").glob("*/ablate.json")
    return max(found, key=lambda file: file.stat().st_mtime, default=None)


def _table(file: Path) -> None:
    try:
        report: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        found = table_of(report)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(f"{file} cannot be read: {error}", "make the ablation anew") from error
    st.text(f"{report['graph']} · {report['date']} · {report['machine']}")
    rows = [[f"{cell.strip('*')} *" if cell.startswith("**") else cell for cell in row] for row in found.rows]
    show_report(t("Ablation", "消融实验"), replace(found, rows=rows))
    caption(
        "First row: the figures of the graph as it stands, in percent; others: what changes with it, in points. "
        "Below zero, the graph is better as it stands. * marks p < 0.05 (permutation test); of twenty comparisons "
        "where nothing differs, one is marked by chance. CPU: milliseconds per question.",
        "第一行为原流程图的数值（百分比），其余各行为改动后的变化（百分点）；小于零说明原流程图更好。"
        "* 表示 p < 0.05（置换检验），二十次毫无差异的比较中约有一次会被标出。CPU 为每题毫秒数。",
    )


def _form() -> None:
    graphs = query_graphs()
    graph = st.selectbox(word("graph"), graphs, index=graphs.index("query") if "query" in graphs else 0)
    folders = st.text_area(
        t("Folders of data sets, one a line", "数据集文件夹，每行一个"),
        height=68,
        help=t(
            "In the format of BEIR (corpus.jsonl, queries.jsonl, qrels/test.tsv), or documents/ and questions.jsonl.",
            "BEIR 格式（corpus.jsonl、queries.jsonl、qrels/test.tsv），或含 documents/ 与 questions.jsonl。",
        ),
    )
    sample = st.number_input(t("At most so many questions of each set", "每个数据集最多题数"), 1, None, SAMPLE)
    chosen = [path_for_caller(line.strip()) for line in folders.splitlines() if line.strip()]
    words = ["eval", "ablate", str(graph), *chosen, "--sample", str(int(sample))]
    offer_start(t("Start the ablation", "开始消融实验"), bool(chosen and graph), KHUB, words)
