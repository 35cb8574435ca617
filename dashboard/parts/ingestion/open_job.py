"""The way to jobs, and to one that begins."""

from collections.abc import Callable, Sequence
from typing import NoReturn

import streamlit as st

from khub.components.catalog.job_row import JobRow
from khub.dashboard.changes import noted


def open_job(*job_ids: str) -> NoReturn:
    """Show a job instead of what is shown now; of several the list."""
    one = {"job": job_ids[0]} if len(job_ids) == 1 else {}
    st.switch_page("pages/ingestion.py", query_params={"view": "jobs", **one})


def begin_jobs(path: str, ask: Callable[[], Sequence[JobRow]]) -> NoReturn:
    """Ask for jobs, and show them.

    :param path: of the route that does the same.
    """
    with noted("POST", path):
        jobs = ask()
    open_job(*(job["job_id"] for job in jobs))
