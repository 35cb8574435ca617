"""Words of the evaluation's tables, which its code has in English, and how they are shown."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.table import Cell, Column, Row, show_table
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
SENTENCES = ("remarks", "reason")
ENGLISH = {"en": "English", "zh": "Chinese"}


def word(english: str) -> str:
    """Return a word of a table in the language of the visit."""
    return t(ENGLISH.get(english, english), CHINESE.get(english, english))


def head_of(english: str) -> str:
    """Return a word as it stands over a column; the names of metrics are no words."""
    found = word(english)
    return found[:1].upper() + found[1:] if english in CHINESE else found


def show_report(caption: str, table: Table) -> None:
    """Show a table of a report; an interval stands below its figure."""
    columns = [
        Column(
            head_of(head),
            kind="main" if not place else "text" if head in SENTENCES else "short" if place < table.words else "number",
        )
        for place, head in enumerate(table.heads)
    ]
    rows = [
        Row(str(number), [_cell(text, place < table.words) for place, text in enumerate(row)])
        for number, row in enumerate(table.rows)
    ]
    show_table(caption, columns, rows, caption)


def _cell(text: str, is_word: bool) -> Cell:
    if is_word:
        return Cell(word(text))
    figure, _, more = text.partition(" (")
    interval, _, measured = more.rstrip(")").partition(") ")
    valid, _, total = measured.partition("/")
    return Cell(figure, interval if valid == total else f"{interval} · {measured}")


def explain_metrics() -> None:
    """Explain the figures."""
    with st.expander(t("How to read the figures", "如何阅读这些数字")):
        st.markdown(
            t(
                "Each figure is a mean over the questions, below it its 95 % interval (bootstrap), and where some are "
                "missing **valid/total**: the values in the mean, and the questions that the metric is about. "
                "↑ more is better, ↓ less is.\n\n"
                "- **hit@k**: a right passage is among the first k. **recall@k**: which share of the right ones is.\n"
                "- **mrr@k**, **ndcg@k**: how far up the right passages stand.\n"
                "- **page_accuracy**: the first five cite the right page.\n"
                "- **abstained_right**, **abstained_wrong**: the hub abstained where nothing, or something, answers.\n"
                "- **degraded**, **failed**: a stage was replaced, or the question failed.\n"
                "- **p**: how often chance alone makes a difference as large; **better** names one where p < 0.05.",
                "每个数字是所有题目的平均值，下方为其 95 % 置信区间（bootstrap）；有缺失时另列**有效/总数**："
                "计入平均的值的个数，以及该指标适用的题数。↑ 越高越好，↓ 越低越好。\n\n"
                "- **hit@k**：前 k 个段落里有正确的；**recall@k**：正确段落中有多大比例在前 k 个。\n"
                "- **mrr@k**、**ndcg@k**：正确段落排得有多靠前。\n"
                "- **page_accuracy**：前五个引用的页码正确。\n"
                "- **abstained_right**、**abstained_wrong**：无答案时拒答、有答案却拒答。\n"
                "- **degraded**、**failed**：有阶段被降级、问题出错。\n"
                "- **p**：仅凭偶然出现这么大差异的概率；p < 0.05 才标出**更好**的一方。",
            )
        )
