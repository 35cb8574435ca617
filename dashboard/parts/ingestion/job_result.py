"""What a job did that has ended, and what can be done about what failed."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from khub.components.catalog.job_result import JobResult
from khub.components.catalog.job_row import JobRow
from khub.dashboard.changes import noted
from khub.dashboard.language import t
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.file_names import file_name
from khub.dashboard.parts.ingestion.job_words import counts, state_name
from khub.dashboard.parts.ingestion.open_job import open_job
from khub.dashboard.parts.link import link_to
from khub.dashboard.parts.paged_table import choose_page, page_of, paged_table
from khub.dashboard.plain_text import plain
from khub.dashboard.visitor import may_write
from khub.server.http.asked_ingests import ask_again, failed_paths
from khub.server.library.failure_groups import FailureGroup, failure_groups
from khub.server.reads.hub_reads import collections

MOST_TRACES = 10
NAMED = 5
"""So many files that failed alike are named at once."""


def show_result(job: JobRow) -> None:
    """Show a job that has ended."""
    result = job.get("result") or {}
    st.write(f"**{state_name(job['state'])}**")
    if job.get("error"):
        st.error(plain(job["error"]))
    if job.get("remedy"):
        st.info(plain(job["remedy"]))
    if not result and (progress := job.get("progress")):
        done, total = progress["done"], progress["total"]
        st.caption(t(f"{done:,} of {total:,} were done: that stays.", f"已完成 {done:,} / {total:,}，成果保留。"))
    if job["kind"] == "reindex":
        if result:
            st.metric(t("Passages", "段落"), f"{result['chunks']:,}")
    elif result:
        _show_counts(result, job["collection"])
    if may_write() and (failed := failed_paths(job)):
        label = t(f"Try what failed again ({len(failed):,})", f"重试失败项 ({len(failed):,})")
        if st.button(label, key="try again"):
            with noted("POST", f"/jobs/{job['job_id']}/again"):
                again = ask_again(job["job_id"])
            open_job(again["job_id"])
    _show_files(job)
    _show_links(job)


def _show_counts(result: JobResult, collection: str) -> None:
    with st.container(horizontal=True):
        for name, number in counts(result)[:5]:
            st.metric(name, f"{number:,}")
    said = [t(counted(result["chunks"], "passage", "passages"), f"{result['chunks']:,} 个段落")]
    if result.get("seconds") is not None:
        said.append(t(f"{result['seconds']:,} seconds", f"{result['seconds']:,} 秒"))
    if result.get("passed_over"):
        number = result["passed_over"]
        said.append(t(f"{number:,} passed over", f"跳过 {number:,} 个"))
    if result.get("kept"):
        number = result["kept"]
        said.append(t(f"{number:,} kept that the folder leaves out", f"保留 {number:,} 个文件夹扫描未包含的文件"))
    st.caption(" · ".join(said))
    if result.get("gone_and_kept"):
        st.warning(
            t(
                "Documents whose file is gone were kept: they are most of the folder or all of a subfolder, and nobody "
                "agreed to lose them.",
                "部分文件已不存在，但占该文件夹的大部分或某个子文件夹的全部，且未经确认，因此保留了对应文档。",
            )
        )
        for one in result.get("emptied", []):
            st.text(file_name(one, collection))


def _show_files(job: JobRow) -> None:
    files: Mapping[str, Any] = job.get("files") or {}
    names = {
        "failed": t("Failed", "失败"),
        "written": t("New or changed", "新增或更新"),
        "unchanged": t("Unchanged", "未变化"),
        "removed": t("Deleted", "已删除"),
        "overtaken": t("Sent anew", "已由新上传取代"),
        "degraded": t("Degraded", "已降级"),
        "passed_over": t("Passed over", "跳过"),
        "kept": t("Kept", "保留"),
    }
    there = [kind for kind in names if files.get(kind)]
    if not there:
        return
    chosen = st.segmented_control(
        t("Files", "文件"),
        there,
        default=there[0],
        required=True,
        format_func=lambda kind: f"{names[kind]} ({len(files[kind]):,})",
        key=f"files of {job['job_id']}",
    )
    kind = str(chosen or there[0])
    key = f"page of {kind} of {job['job_id']}"
    if kind == "failed":
        groups = failure_groups(files["failed"])
        for group in page_of(groups, key):
            _show_failures(group, job["collection"])
        choose_page(len(groups), key)
    else:
        rows = [_row(one, job["collection"]) for one in files[kind]]
        paged_table(rows, key, names[kind])


def _show_failures(group: FailureGroup, collection: str) -> None:
    names = [file_name(source, collection) for source in group.sources]
    with st.container(border=True, gap="small"):
        if len(names) > 1:
            st.write(t(f"**{len(names):,} files**", f"**{len(names):,} 个文件**"))
        st.text("\n".join(names[:NAMED]))
        if len(names) > NAMED:
            with st.expander(t(f"{len(names) - NAMED:,} more", f"另外 {len(names) - NAMED:,} 个")):
                st.text("\n".join(names[NAMED:]))
        st.caption(
            t(f"Stage {plain(group.stage)}: {plain(group.error)}", f"阶段 {plain(group.stage)}：{plain(group.error)}")
        )
        if group.remedy:
            st.write(f"→ {plain(group.remedy)}")


def _row(one: Any, collection: str) -> dict[str, str]:
    """Return what a table says of a file, whatever the record has of it: its source alone, or more."""
    about = {"source": one} if isinstance(one, str) else one
    row = {t("File", "文件"): file_name(about.get("source", ""), collection)}
    if "chunks" in about and "reason" not in about:
        row[t("Passages", "段落")] = f"{about['chunks']:,}"
    if "reason" in about:
        named = f" ({', '.join(about['attachments'])})" if "attachments" in about else ""
        stage = {t("Stage", "阶段"): about["stage"]} if "stage" in about else {}
        row |= {**stage, t("Why", "原因"): about["reason"] + named}
    return row


def _show_links(job: JobRow) -> None:
    if job["collection"] in collections().names():
        link_to("documents", t("Documents of this collection", "查看该文档集的文档"), collection=job["collection"])
    traces = job.get("traces") or []
    if len(traces) == 1:
        link_to("ingestion_runs", t("Trace of the ingest", "导入记录"), trace=traces[0])
        return
    with st.container(horizontal=True):
        for number, trace in enumerate(traces[:MOST_TRACES], 1):
            label = t(f"Trace {number} of {len(traces)}", f"导入记录 {number}/{len(traces)}")
            link_to("ingestion_runs", label, trace=trace)
        if len(traces) > MOST_TRACES:
            link_to("ingestion_runs", t("All traces", "全部记录"), collection=job["collection"])
