"""The runs that were; one of them in full, or two beside each other."""

from typing import Literal

import streamlit as st

from khub.dashboard.language import caption, info, t
from khub.dashboard.parts.evaluation.evaluation_compare import Side, compare_sides
from khub.dashboard.parts.evaluation.evaluation_words import explain_metrics, head_of, show_report, word
from khub.dashboard.parts.evaluation.evaluation_worst import worst_cases
from khub.dashboard.parts.file_facts import day
from khub.dashboard.parts.paged_table import choose_page, page_of
from khub.dashboard.parts.table import Badge, Cell, Column, Row, show_table
from khub.eval.run.history_line import HistoryLine
from khub.eval.run.kept_runs import KeptRun, history_of_hub, kept_runs
from khub.eval.run.metric_table import Group, MetricTable
from khub.eval.run.metrics import in_order, metric
from khub.eval.run.report import HTML
from khub.eval.run.tables import Table, interval, metric_head, not_measured

FIGURES = ("hit@5", "mrr@10", "ndcg@10", "abstained_right")
SPEEDS: tuple[Literal["p50", "p95", "p99", "max"], ...] = ("p50", "p95", "p99", "max")
LEAST = 0.005
PAGES, TABLE = "runs-page", "evaluations"
TWO = 2


def run_list() -> None:
    """Show all runs; what is ticked in full, or two that are beside each other: at first the newest of the same set."""
    runs = _whole_runs()
    history = history_of_hub()[::-1]
    if not runs or not history:
        info("Nothing has been evaluated yet.", "还没有评测结果。")
        return
    shown = [_row(line, _before(history, place)) for place, line in enumerate(history)]
    ticked = show_table(t("Evaluations", "历次评测"), _columns(), page_of(shown, PAGES), TABLE, select=True)
    choose_page(len(shown), PAGES)
    caption("Tick one to see it in full, two to compare them.", "勾选一行查看详情，勾选两行进行对比。")
    explain_metrics()
    sides = {f"{run.run_id}#{graph}": (run, graph) for run in runs for graph in run.about["graphs"]}
    chosen = [sides[one] for one in ticked or _asked(sides) or _newest_two(history) if one in sides]
    if len(chosen) == 1:
        _one(*chosen[0])
    elif len(chosen) == TWO:
        older, newer = sorted(chosen, key=lambda side: (str(side[0].about["finished"]), side[0].run_id))
        if ticked:
            st.query_params["a"], st.query_params["b"] = (f"{run.run_id}#{graph}" for run, graph in (older, newer))
        compare_sides(older, newer)
    else:
        info("Tick two at most.", "最多勾选两行。")


def _whole_runs() -> list[KeptRun]:
    """Return the runs with a report, the newest first; say what is wrong with those that cannot be read."""
    runs, problems = kept_runs()
    if problems:
        with st.expander(t(f"{len(problems)} runs cannot be read", f"{len(problems)} 次评测无法读取")):
            st.text("\n".join(str(problem) for problem in problems))
    return [run for run in runs if run.is_whole]


def _asked(sides: dict[str, Side]) -> list[str]:
    """Return the two that the address names, if it does."""
    named = [st.query_params.get(name, "") for name in ("a", "b")]
    return named if all(name in sides for name in named) and named[0] != named[1] else []


def _newest_two(history: list[HistoryLine]) -> list[str]:
    """Return the newest, and what it is compared with: another graph of the run, or the last one on the same set."""
    newest = history[0]
    of_run = [line for line in history[1:] if line["run_id"] == newest["run_id"]]
    same_set = [line for line in history[1:] if line["sets"] == newest["sets"]]
    return [_id(line) for line in [newest, *(of_run or same_set)[:1]]]


def _before(history: list[HistoryLine], place: int) -> HistoryLine | None:
    """Return the run before one, of the same graph on the same set."""
    one = history[place]
    alike = (line for line in history[place + 1 :] if (line["sets"], line["graph"]) == (one["sets"], one["graph"]))
    return next(alike, None)


def _id(line: HistoryLine) -> str:
    return f"{line['run_id']}#{line['graph']}"


def _columns() -> list[Column]:
    return [
        Column(t("Finished", "完成时间"), kind="main"),
        Column(head_of("graph")),
        Column(t("Questions", "题数"), kind="number"),
        *(Column(metric_head(name), kind="number") for name in FIGURES),
        Column(t("p50 ms", "p50（毫秒）"), kind="number"),
    ]


def _row(line: HistoryLine, before: HistoryLine | None) -> Row:
    about = f"{', '.join(line['sets'])} · {line['model']}"
    figures = (_figure(name, line, before) for name in FIGURES)
    speed = line["latency"]
    cells = [
        Cell(day(line["finished"]), about),
        Cell(line["graph"]),
        Cell(f"{sum(line['sets'].values()):,}"),
        *figures,
        Cell(f"{speed['p50']:,.0f}" if speed else "–"),
    ]
    return Row(_id(line), cells)


def _figure(name: str, line: HistoryLine, before: HistoryLine | None) -> Cell:
    """Return a figure with its interval, and how far it is from that of the run before."""
    figure = line["figures"].get(name)
    if not figure or figure["mean"] is None:
        return Cell("–")
    earlier = (before or line)["figures"].get(name)
    apart = figure["mean"] - (figure["mean"] if earlier is None or earlier["mean"] is None else earlier["mean"])
    is_better = (apart > 0) == metric(name).higher_is_better
    moved = Badge(f"{'↑' if apart > 0 else '↓'} {abs(apart):.2f}", "good" if is_better else "bad")
    return Cell(
        f"{figure['mean']:.2f}",
        f"{figure['low']:.2f}–{figure['high']:.2f}",
        badges=[moved] if abs(apart) >= LEAST else [],
    )


def _one(run: KeptRun, name: str) -> None:
    report, graph = run.report, run.report["graphs"][name]
    about = report.get("collection") or report["documents"]["folder"]
    st.subheader(f"{day(str(run.about['finished']))} · {name}", anchor=False)
    st.text(t(f"Documents: {about}", f"文档：{about}"))
    if speed := graph["latency"]:
        times = " · ".join(f"{name} {speed[name]:,.0f}" for name in SPEEDS)
        st.text(t(f"Milliseconds: {times}", f"毫秒：{times}"))
    groups: tuple[Group, ...] = ("language", "kind", "set")
    group = st.segmented_control(t("By", "分组"), groups, default=groups[0], required=True, format_func=word)
    table = _figures(graph["metrics"], group)
    show_report(t("Figures of the run", "各项指标"), table)
    if graph["failed"]:
        st.text(t("Not measured:", "未能测量："))
        show_report(t("Not measured", "未能测量"), not_measured(graph))
    if unread := graph["collection"]["failed"]:
        st.text(t("Documents that could not be read:", "未能读取的文档："))
        st.text("\n".join(f"{one['source']}: {one['error']}" for one in unread))
    if (run.path / HTML).is_file():
        html = (run.path / HTML).read_bytes()
        st.download_button(
            t("Whole report (HTML)", "完整报告（HTML）"), html, f"evaluation-{run.run_id}.html", "text/html"
        )
    st.subheader(t("Worst questions", "最差题目"), anchor=False)
    worst_cases(run, name)


def _figures(metrics: dict[str, MetricTable], group: Group) -> Table:
    """Return each metric over all questions, and over each member of a group."""
    members = list(dict.fromkeys(member for table in metrics.values() for member in table[group]))
    rows = [
        [metric_head(name), *(interval(name, one) for one in [table["all"], *map(table[group].get, members)])]
        for name, table in ((name, metrics[name]) for name in in_order(metrics))
    ]
    return Table(["metric", "all", *members], rows)
