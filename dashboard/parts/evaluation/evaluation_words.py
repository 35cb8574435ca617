"""Words of the evaluation's tables, which its code has in English, and the tables themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from khub.dashboard.language import t
from khub.eval.run.tables import Table

CHINESE = {
    "metric": "指标",
    "graph": "流程图",
    "kind": "问题类型",
    "language": "语言",
    "set": "评测集",
    "questions": "题目",
    "question": "问题",
    "pairs": "配对数",
    "better": "更好",
    "reason": "原因",
    "cases": "题数",
    "valid/total": "有效/总数",
    "all": "全部",
    "en": "英文",
    "zh": "中文",
    "fact": "事实",
    "table": "表格",
    "figure": "图",
    "comparison": "比较",
    "identifier": "编号",
    "paraphrase": "改述",
    "cross-lingual": "跨语言",
    "unanswerable": "无答案",
    "failed": "出错",
    "not found": "没有找到",
    "abstained, though there is an answer": "有答案却拒答",
    "answered, though nothing answers it": "无答案却作答",
    "cited with a wrong page": "页码引错",
    "ranked low": "排名靠后",
    "running": "运行中",
    "finished": "已完成",
    "cancelled": "已取消",
    "interrupted": "已中断",
    "result": "结果",
    "bound": "界限",
    "now": "本次",
    "before": "基线",
    "passes": "通过",
    "FAILS": "未通过",
    "remarks": "说明",
    "mean": "平均",
    "degraded": "降级",
}
ENGLISH = {"en": "English", "zh": "Chinese"}


def word(english: str) -> str:
    """Return a word of a table in the language of the visit."""
    return t(ENGLISH.get(english, english), CHINESE.get(english, english))


def show_table(table: Table, words: int | None = None) -> None:
    """Show a table of a report.

    :param words: in so many columns from the left, the cells are words, too; by default those of the table.
    """
    first = table.words if words is None else words
    heads = [word(head) for head in table.heads]
    rows = [[*(word(cell) for cell in row[:first]), *row[first:]] for row in table.rows]
    show_rows([dict(zip(heads, row, strict=True)) for row in rows])


def show_rows(rows: Sequence[Mapping[str, Any]]) -> None:
    """Show rows, or that there are none."""
    if rows:
        st.dataframe(list(rows), hide_index=True, width="stretch", height="content")
    else:
        st.text(t("None.", "没有。"))


def explain_metrics() -> None:
    """Explain the figures."""
    with st.expander(t("How to read the figures", "如何阅读这些数字")):
        st.markdown(
            t(
                "Each figure is a mean over the questions with its 95 % interval (bootstrap), then **valid/total**: "
                "the values in the mean, and the questions that the metric is about. ↑ more is better, ↓ less is.\n\n"
                "- **hit@k**: a right passage is among the first k. **recall@k**: which share of the right ones is.\n"
                "- **mrr@k**, **ndcg@k**: how far up the right passages stand.\n"
                "- **page_accuracy**: the first five cite the right page.\n"
                "- **abstained_right**, **abstained_wrong**: the hub abstained where nothing, or something, answers.\n"
                "- **degraded**, **failed**: a stage was replaced, or the question failed.",
                "每个数字是所有题目的平均值及其 95 % 置信区间（bootstrap），其后是**有效/总数**：计入平均的值的个数，"
                "以及该指标适用的题数。↑ 越高越好，↓ 越低越好。\n\n"
                "- **hit@k**：前 k 个段落里有正确的；**recall@k**：正确段落中有多大比例在前 k 个。\n"
                "- **mrr@k**、**ndcg@k**：正确段落排得有多靠前。\n"
                "- **page_accuracy**：前五个引用的页码正确。\n"
                "- **abstained_right**、**abstained_wrong**：无答案时拒答、有答案却拒答。\n"
                "- **degraded**、**failed**：有阶段被降级、问题出错。",
            )
        )
