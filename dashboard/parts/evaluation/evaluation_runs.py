"""The runs that were, the figures of one of them, and how figures went over time."""

from datetime import datetime
from typing import Any

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.evaluation.evaluation_words import explain_metrics, show_rows, show_table, word
from khub.eval.run.history_line import HistoryLine
from khub.eval.run.kept_runs import KeptRun, history_of_hub, kept_runs
from khub.eval.run.metric_table import Group
from khub.eval.run.metrics import in_order, written
from khub.eval.run.report import HTML
from khub.eval.run.tables import Table, by_group, interval, latency, not_measured, overall

PAGE = 50
MAIN = ("hit@5", "ndcg@10")
SHORT = 8


def whole_runs() -> list[KeptRun]:
    """Return the runs with a report, the newest first; say what is wrong with those that cannot be read."""
    runs, problems = kept_runs()
    if problems:
        with st.expander(t(f"{len(problems)} runs cannot be read", f"{len(problems)} 次评测无法读取")):
            st.text("\n".join(str(problem) for problem in problems))
    return [run for run in runs if run.is_whole]


def run_label(run: KeptRun) -> str:
    """Return what a run is called in lists."""
    sets = ", ".join(one["name"] for one in run.about["sets"])
    return f"{_time(run.about['finished'])} · {', '.join(run.about['graphs'])} · {sets} · {run.run_id[-SHORT:]}"


def chosen_run(runs: list[KeptRun]) -> KeptRun:
    """Let the visitor choose a run; the address keeps which."""
    ids = [run.run_id for run in runs]
    asked = st.query_params.get("run")
    run = st.selectbox(t("Run", "评测"), runs, index=ids.index(asked) if asked in ids else 0, format_func=run_label)
    st.query_params["run"] = run.run_id
    return run


def run_list() -> None:
    """Show all runs, one in full, and the figures over time."""
    runs = whole_runs()
    if not runs:
        st.info(t("Nothing has been evaluated yet.", "还没有评测结果。"))
        return
    history = history_of_hub()
    pages = -(-len(history) // PAGE)
    page = st.pagination(pages, key="runs-page") if pages > 1 else 1
    show_rows([_row(line) for line in history[::-1][(page - 1) * PAGE : page * PAGE]])
    explain_metrics()
    st.subheader(t("One run", "单次评测"), anchor=False)
    _one(chosen_run(runs))
    st.subheader(t("Over time", "历次变化"), anchor=False)
    _over_time(history)


def _row(line: HistoryLine) -> dict[str, str]:
    figures = {name: interval(name, line["figures"].get(name)) for name in MAIN}
    return {
        t("finished (UTC)", "完成时间（UTC）"): _time(line["finished"]),
        word("graph"): line["graph"],
        word("set"): ", ".join(f"{name} ({number})" for name, number in line["sets"].items()),
        **figures,
        t("p50 ms", "延迟 p50（毫秒）"): written("latency_ms", line["latency"]["p50"] if line["latency"] else None),
        t("embedder", "嵌入模型"): line["model"],
        t("run", "编号"): str(line["run_id"])[-SHORT:],
    }


def _one(run: KeptRun) -> None:
    report = run.report
    about = report.get("collection") or report["documents"]["folder"]
    st.text(t(f"Documents: {about}", f"文档：{about}"))
    show_table(overall(report))
    show_table(latency(report))
    groups: tuple[Group, ...] = ("language", "kind", "set")
    group = st.segmented_control(t("By", "分组"), groups, default=groups[0], required=True, format_func=word)
    for name, graph in report["graphs"].items():
        if len(report["graphs"]) > 1:
            st.text(name)
        table = by_group(graph, group)
        show_table(_with_words_in_heads(table), 1)
        if graph["failed"]:
            st.text(t("Not measured:", "未能测量："))
            show_table(not_measured(graph), 1)
        if unread := graph["collection"]["failed"]:
            st.text(t("Documents that could not be read:", "未能读取的文档："))
            show_rows([{t("file", "文件"): one["source"], t("error", "错误"): one["error"]} for one in unread])
    if (run.path / HTML).is_file():
        name = f"evaluation-{run.run_id}.html"
        st.download_button(
            t("Whole report (HTML)", "完整报告（HTML）"), (run.path / HTML).read_bytes(), name, "text/html"
        )


def _with_words_in_heads(table: Table) -> Table:
    return Table([word(head) for head in table.heads], table.rows, table.words)


def _over_time(history: list[HistoryLine]) -> None:
    names = list(dict.fromkeys(_sets(line) for line in reversed(history)))
    left, right = st.columns(2)
    sets = left.selectbox(t("Questions", "题目"), names)
    lines = [line for line in history if _sets(line) == sets]
    metrics = in_order({name for line in lines for name in line["figures"]})
    metric = right.selectbox(word("metric"), metrics, index=metrics.index(MAIN[1]) if MAIN[1] in metrics else 0)
    rows = [
        {"time": line["finished"], "graph": line["graph"], "value": figure["mean"]}
        for line in lines
        if (figure := line["figures"].get(metric)) and figure["mean"] is not None
    ]
    graphs = [row["graph"] for row in rows]
    if len(graphs) == len(set(graphs)):
        st.text(t("One more run of the same questions makes a line.", "同一批题目再评测一次即可显示变化。"))
        return
    alt = t(f"{metric} of each run, a line per graph", f"每次评测的 {metric}，每个流程图一条线")
    points = [{**row, "time": datetime.fromisoformat(str(row["time"]))} for row in rows]
    st.line_chart(points, x="time", y="value", color="graph", x_label="", y_label=metric, alt=alt)
    head = t("finished (UTC)", "完成时间（UTC）")
    shown = [{word("graph"): row["graph"], head: _time(row["time"]), metric: row["value"]} for row in rows]
    with st.expander(t("The same as a table", "以表格显示")):
        show_rows(shown[::-1][:PAGE])


def _sets(line: HistoryLine) -> str:
    return ", ".join(f"{name} ({number})" for name, number in line["sets"].items())


def _time(text: Any) -> str:
    return str(text)[:16].replace("T", " ")
