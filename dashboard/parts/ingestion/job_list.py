"""The jobs that the visitor may know, fifty a page."""

import streamlit as st

from khub.components.catalog.job_row import JobRow
from khub.components.catalog.jobs import ENDED
from khub.dashboard.language import caption, t
from khub.dashboard.page import part
from khub.dashboard.parts.address import put, take
from khub.dashboard.parts.ingestion.job_words import job_title, outcome
from khub.dashboard.parts.paged_table import ROWS, choose_page, offset_of
from khub.dashboard.parts.table import Badge, Cell, Column, Link, Row, show_table
from khub.server.jobs.known_jobs import known_jobs

AT_WORK = ("queued", "running")
STATES = {"": (), "running": ("running",), "waiting": ("queued",), "ended": ENDED}
LOOK_S = 2.0
PAGE = "page of jobs"


def show_jobs() -> None:
    """Show the list."""
    names = {
        "": t("All", "全部"),
        "running": t("Running", "进行中"),
        "waiting": t("Waiting", "等待中"),
        "ended": t("Ended", "已结束"),
    }
    take("state", STATES, "")
    label = t("Which jobs", "显示哪些任务")
    chosen = st.segmented_control(label, list(STATES), required=True, format_func=names.__getitem__, key="state")
    put("state", chosen, "")
    live = known_jobs(AT_WORK, 0, 1)[0] > 0
    part(_list, run_every=LOOK_S if live else None)(str(chosen or ""), live)


def _list(chosen: str, live: bool) -> None:
    if live and not known_jobs(AT_WORK, 0, 1)[0]:
        st.rerun()  # nothing more changes
    states = STATES[chosen]
    total, _ = known_jobs(states, 0, 0)
    total, jobs = known_jobs(states, offset_of(total, PAGE), ROWS)
    if not jobs:
        st.info(t("There are no such jobs.", "没有任务。") if chosen else t("There are no jobs yet.", "还没有任务。"))
        return
    caption(f"{total:,} in all, the newest first", f"共 {total:,} 个，最新在前")
    show_job_rows(jobs)
    choose_page(total, PAGE)


def show_job_rows(jobs: list[JobRow], key: str = "jobs") -> None:
    """Show the way to each job, how far it is, who has started it, and how many of its files failed.

    :param key: of the table.
    """
    if jobs:
        show_table(t("Jobs", "任务"), [Column(t("Job", "任务"), kind="main")], list(map(_row, jobs)), key)


def _row(job: JobRow) -> Row:
    failed, by = (job.get("result") or {}).get("failed"), str(job.get("door") or job.get("caller") or "")
    error = " → ".join(filter(None, (f"⚠ {job['error']}", job.get("remedy")))) if job.get("error") else ""
    said = " · ".join(filter(None, (outcome(job), error, by.partition(".")[0])))
    link = Link("ingestion", {"view": "jobs", "job": job["job_id"]})
    badges = [Badge(t(f"{failed:,} failed", f"{failed:,} 个失败"), "bad")] if failed else []
    return Row(job["job_id"], [Cell(job_title(job), said, link, badges)])
