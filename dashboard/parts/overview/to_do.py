"""What waits for somebody: files that failed, scans without OCR, jobs that run."""

import streamlit as st

from khub.components.catalog.document_page import Wanted
from khub.components.extras import install_extra
from khub.dashboard.language import caption, info, t
from khub.dashboard.page import part
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.ingestion.job_list import AT_WORK, show_job_rows
from khub.dashboard.parts.link import link_to
from khub.dashboard.plain_text import plain
from khub.server.jobs.known_jobs import known_jobs
from khub.server.reads.hub_reads import collections, reader, title_of

NAMED = 5
AGAIN_S = 5.0


def show_to_do() -> None:
    """Show what waits; nothing where nothing does."""
    part(_show_jobs, run_every=AGAIN_S)()
    for name in collections().names():
        _show_need(name, "again")
        _show_need(name, "ocr")


def _show_jobs() -> None:
    total, jobs = known_jobs(AT_WORK, 0, NAMED)
    if not total:
        return
    info(
        counted(total, "job is running or waiting.", "jobs are running or waiting."),
        f"{total:,} 个任务正在运行或排队。",
    )
    show_job_rows(jobs, "jobs at work")


def _show_need(collection: str, need: str) -> None:
    wanted = Wanted(collection, need=need, sort="updated_at", descending=True)
    total, rows = reader().page(wanted, None, NAMED)
    if not total:
        return
    with st.expander(f"⚠ {plain(collection)}: {_said(need, total)}"):
        for row in rows:
            link_to("documents", plain(title_of(row)), doc=row["doc_id"])
            if row["error"]:
                st.caption(f"{plain(row['error'])} → {plain(row['remedy'] or '')}")
        if need == "ocr":
            caption("Install OCR, then ingest them again: ", "安装 OCR 后重新导入：")
            st.code(install_extra("ocr"), language="sh")
        address = {"collection": collection, "status": need}
        with st.container(horizontal=True):
            link_to("documents", t("All of them", "查看全部"), **address)
            link_to("ingestion", t("Ingest again", "重新导入"))


def _said(need: str, total: int) -> str:
    if need == "ocr":
        waiting = counted(total, "document has pages that wait for OCR", "documents have pages that wait for OCR")
        return t(waiting, f"{total:,} 份文档有页面等待 OCR")
    return t(counted(total, "file could not be read", "files could not be read"), f"{total:,} 个文件读取失败")
