"""The runs of the trace log: searched, filtered, sorted, repeated questions in one row, fifty rows at a time."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from khub.components.catalog.access import caller
from khub.components.catalog.parts import shown_name
from khub.dashboard.language import t
from khub.dashboard.parts.address import put
from khub.dashboard.parts.choice import choose, chosen_order, page_number, typed
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.table import Badge, Cell, Column, Link, Row, show_table
from khub.server.commands.trace_list import local_time
from khub.server.traces.index import EVALUATION, RunFilter, RunRow, RunValues, run_values
from khub.server.traces.run_groups import ORDERS, RunFigures, RunGroup, find_groups

ROWS = 50
MOST_CHARACTERS = 160
MOST_SOURCES = 3
ASKED: dict[str, bool | None] = {"": False, EVALUATION: True, "all": None}
"""Value in the address -> whether an evaluation asked; at first the questions of people are shown."""
TROUBLES = ("degraded", "failed", "abstained")
NEWEST: Final = "-time"
TABLE = "runs"


def show_runs(page: str, kinds: tuple[str, ...]) -> None:
    """Show the runs of some kinds that the visitor may know; each leads to its own address.

    :param page: the page's file.
    :param kinds: of graphs.
    """
    top = st.container()
    alike = st.query_params.get("alike", "")
    values = run_values()
    wanted = _wanted(kinds, alike, values)
    order = chosen_order(TABLE, ORDERS, NEWEST)
    at = page_number((page, wanted, order))
    found = find_groups(wanted, order, (at - 1) * ROWS, ROWS)
    if at > 1 and not found.groups:  # fewer than there were
        st.session_state["at"] = 1
        found = find_groups(wanted, order, 0, ROWS)
    if alike:
        with top:
            kept = {name: value for name, value in st.query_params.to_dict().items() if name not in ("alike", "at")}
            link_to(page, t("← All runs", "← 全部记录"), **kept)
            st.text(_subject(found.groups[0].newest) if found.groups else "")
    if not found.groups:
        st.info(_nothing(wanted, kinds))
        return
    st.write(_summary(found.figures, kinds))
    columns = _columns(kinds, bool(alike), len(values.callers) > 1)
    slowest = max(group.figures.p50_ms for group in found.groups)
    rows = [_row(group, page, columns, slowest) for group in found.groups]
    show_table(t("Runs", "运行记录"), list(columns.values()), rows, TABLE, order)
    pages = -(-found.total // ROWS)
    put("at", st.pagination(pages, key="at") if pages > 1 else 1, 1)


def _wanted(kinds: tuple[str, ...], alike: str, values: RunValues) -> RunFilter:
    """Show the widgets that choose, and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        subject = t("Path", "文件路径") if "ingest" in kinds else t("Question", "问题")
        label = t(f"{subject} or error contains", f"{subject}或错误信息包含")
        words = typed("words", label)
        collection = choose("collection", t("Collection", "文档集"), ["", *values.collections], "", width=130)
        graph = choose("graph", t("Graph", "流程图"), ["", *values.graphs], "", width=130)
        trouble = choose("trouble", t("Trouble", "异常"), ["", *TROUBLES], "", _troubles, 120)
        slower = typed("slower", t("Slower than (ms)", "慢于（毫秒）"), 6, 120)
        asked = _asked() if "query" in kinds and EVALUATION in values.callers else ""
    return RunFilter(
        kinds=kinds,
        words=words,
        collection=collection or None,
        graph=graph or None,
        slower_ms=float(slower) if slower.isdecimal() else None,
        alike=alike,
        evaluation=ASKED[asked] if "query" in kinds else None,
        **({trouble: True} if trouble else {}),
    )


def _asked() -> str:
    names = {"": t("people", "人"), EVALUATION: t("evaluation", "评测"), "all": t("any", "全部")}
    return choose("asked", t("Asked by", "提问者"), [*ASKED], "", names.__getitem__, 120)


def _troubles(name: str, number: int = 1) -> str:
    said = {
        "degraded": t("degraded", "已降级"),
        "failed": t("failed", "失败"),
        "abstained": t("abstained", "拒答"),
    }.get(name, "")
    return said if number == 1 else f"{said} {number:,}"


def _summary(figures: RunFigures, kinds: tuple[str, ...]) -> str:
    said = [
        t(counted(figures.runs, "run", "runs"), f"{figures.runs:,} 次运行"),
        t(f"p50 {figures.p50_ms:,.0f} ms", f"p50 {figures.p50_ms:,.0f} 毫秒"),
        t(f"p95 {figures.p95_ms:,.0f} ms", f"p95 {figures.p95_ms:,.0f} 毫秒"),
    ]
    names = TROUBLES[: 2 if "ingest" in kinds else 3]
    said += [f"{_troubles(name)} {getattr(figures, name) / figures.runs:.1%}" for name in names]
    return " · ".join(said)


def _columns(kinds: tuple[str, ...], of_one_question: bool, of_several: bool) -> dict[str, Column]:
    time = Column(t("Time", "时间"), "time", True, width=0 if of_one_question else 640)
    subject = Column(t("Files", "文件") if "ingest" in kinds else t("Question", "问题"), kind="main")
    return {
        **({} if of_one_question else {"subject": subject}),
        "time": time,
        "collection": Column(t("Collection", "文档集"), width=640),
        "graph": Column(t("Graph", "流程图"), width=640),
        **({"caller": Column(t("Started by", "发起者"), width=960)} if of_several else {}),
        "ms": Column(t("ms", "毫秒"), "ms", True, "number"),
        "bar": Column(t("Next to the slowest", "与最慢相比"), width=640),
        "trouble": Column(t("Trouble", "异常")),
    }


def _row(group: RunGroup, page: str, columns: dict[str, Column], slowest: float) -> Row:
    run, figures = group.newest, group.figures
    many = figures.runs > 1
    kept = {name: value for name, value in st.query_params.to_dict().items() if not many or name != "at"}
    link = Link(page, {**kept, **({"alike": run.alike} if many else {"trace": run.trace_id})})
    badges = [Badge(f"×{figures.runs:,}")] if many else []
    badges += [Badge(t("evaluation", "评测"))] if run.caller == EVALUATION else []
    badges += [Badge(t("all collections", "全部文档集"))] if run.together else []
    cells = {
        "subject": Cell(_subject(run), "" if many else _trouble(run), link, badges),
        "time": Cell(local_time(run.time)[:16]) if "subject" in columns else Cell(local_time(run.time), link=link),
        "collection": Cell(run.collection or ""),
        "graph": Cell(run.graph),
        "caller": Cell(run.caller or ""),
        "ms": Cell(f"{figures.p50_ms:,.0f}", f"p95 {figures.p95_ms:,.0f}" if many else ""),
        "bar": Cell(share=figures.p50_ms / slowest if slowest else 0),
        "trouble": Cell(badges=_badges(group)),
    }
    return Row(run.trace_id, [cells[name] for name in columns])


def _badges(group: RunGroup) -> Sequence[Badge]:
    if files := group.newest.failed_files:  # of an ingest, which is in a group by itself
        return [Badge(t(f"{files:,} failed", f"{files:,} 个失败"), "bad")]
    said = ((name, getattr(group.figures, name)) for name in TROUBLES)
    return [Badge(_troubles(name, number), "bad" if name == "failed" else "warn") for name, number in said if number]


def _subject(run: RunRow) -> str:
    if run.query is not None:
        text = run.query
        return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
    if run.characters is not None:
        return t(f"a question of {run.characters:,} characters", f"{run.characters:,} 个字符的问题")
    number = run.source_count or 0
    if not run.sources or not caller().sees_all:  # files may be closed to others by now
        return t(counted(number, "file", "files"), f"{number:,} 个文件")
    names = ", ".join(map(shown_name, run.sources[:MOST_SOURCES]))
    more = number - MOST_SOURCES
    return t(f"{names} and {more:,} more", f"{names} 等 {number:,} 个文件") if more > 0 else names


def _trouble(run: RunRow) -> str:
    if run.error:
        return t("failed: {}", "失败：{}").format(run.error)
    return t("degraded: {}", "已降级：{}").format(", ".join(run.degraded)) if run.degraded else ""


def _nothing(wanted: RunFilter, kinds: tuple[str, ...]) -> str:
    if wanted != RunFilter(kinds=kinds, evaluation=wanted.evaluation):
        return t("No run fits. Take away a word or a filter.", "没有符合条件的记录，请减少关键词或筛选条件。")
    if "ingest" in kinds:
        return t("Nothing has been ingested yet.", "还没有导入过文件。")
    return t("Nothing has been asked yet.", "还没有提过问题。")
