"""The runs of the trace log, newest first: searched, filtered, fifty at a time."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.address import put, take
from khub.dashboard.parts.choice import choose, page_number
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.server.commands.trace_list import local_time
from khub.server.traces.index import RunFilter, RunRow, find_runs, run_values

ROWS = 50
MOST_CHARACTERS = 160
TROUBLES = ("degraded", "failed", "abstained")


def show_runs(page: str, kinds: tuple[str, ...]) -> None:
    """Show the runs of some kinds that the visitor may know; each leads to its own address.

    :param page: the page's file.
    :param kinds: of graphs.
    """
    wanted = _wanted(kinds)
    at = page_number(wanted)
    found = find_runs(wanted, (at - 1) * ROWS, ROWS)
    pages = max(1, -(-found.total // ROWS))
    if at > pages:  # fewer than there were
        st.session_state["at"] = at = 1
        found = find_runs(wanted, 0, ROWS)
    if not found.total:
        st.info(_nothing(wanted, kinds))
        return
    first = (at - 1) * ROWS + 1
    last = first + len(found.runs) - 1
    st.write(
        t(f"{first:,} to {last:,} of {found.total:,} runs", f"第 {first:,}–{last:,} 条，共 {found.total:,} 条记录")
    )
    for run in found.runs:
        _show_row(page, run)
    put("at", st.pagination(pages, key="at") if pages > 1 else 1, 1)


def _wanted(kinds: tuple[str, ...]) -> RunFilter:
    """Show the widgets that choose, and return what they say."""
    values = run_values()
    about, slow = st.columns([3, 1])
    with about:
        take("words", None, "")
        words = st.text_input(_words_label(kinds), key="words", max_chars=500).strip()
        put("words", words, "")
    with slow:
        take("slower", None, "")
        slower = st.text_input(t("Slower than (ms)", "慢于（毫秒）"), key="slower", max_chars=6).strip()
        put("slower", slower, "")
    of_collection, of_graph, of_trouble = st.columns(3)
    with of_collection:
        collection = choose("collection", t("Collection", "文档集"), ["", *values.collections], "", _or_any)
    with of_graph:
        graph = choose("graph", t("Graph", "流程图"), ["", *values.graphs], "", _or_any)
    with of_trouble:
        trouble = choose("trouble", t("Trouble", "异常"), ["", *TROUBLES], "", _trouble_name)
    return RunFilter(
        kinds=kinds,
        words=words,
        collection=collection or None,
        graph=graph or None,
        slower_ms=float(slower) if slower.isdecimal() else None,
        **({trouble: True} if trouble else {}),
    )


def _words_label(kinds: tuple[str, ...]) -> str:
    if "ingest" in kinds:
        return t("Words in the files' paths or the error", "文件路径或错误信息包含")
    return t("Words in the question or the error", "问题或错误信息包含")


def _or_any(value: str) -> str:
    return value or t("any", "全部")


def _show_row(page: str, run: RunRow) -> None:
    with st.container(gap=None):
        address = {**st.query_params.to_dict(), "trace": run.trace_id}
        link_to(page, plain(_subject(run)), **address)
        st.markdown(f":small[{' · '.join(map(plain, _facts(run)))}]")


def _subject(run: RunRow) -> str:
    if run.query is not None:
        text = run.query
        return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
    if run.characters is not None:
        return t(f"a question of {run.characters:,} characters", f"{run.characters:,} 个字符的问题")
    return t(counted(run.source_count or 0, "file", "files"), f"{run.source_count or 0:,} 个文件")


def _facts(run: RunRow) -> list[str]:
    facts = [local_time(run.time), run.trace_id[:8], run.graph, run.collection or "", f"{run.ms:,.0f} ms"]
    facts += [] if run.caller is None else [run.caller]
    if run.abstained:
        facts.append(t("abstained", "拒答"))
    if run.degraded:
        facts.append(t("degraded: {}", "已降级：{}").format(", ".join(run.degraded)))
    if run.error:
        facts.append(t("failed: {}", "失败：{}").format(run.error))
    return [fact for fact in facts if fact]


def _trouble_name(trouble: str) -> str:
    return {
        "": t("any", "全部"),
        "degraded": t("degraded", "已降级"),
        "failed": t("failed", "失败"),
        "abstained": t("abstained", "拒答"),
    }[trouble]


def _nothing(wanted: RunFilter, kinds: tuple[str, ...]) -> str:
    if wanted != RunFilter(kinds=kinds):
        return t("No run fits. Take away a word or a filter.", "没有符合条件的记录，请减少关键词或筛选条件。")
    if "ingest" in kinds:
        return t("Nothing has been ingested yet.", "还没有导入过文件。")
    return t("Nothing has been asked yet.", "还没有提过问题。")
