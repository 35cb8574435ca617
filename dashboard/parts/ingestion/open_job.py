"""The way to a job."""

from typing import NoReturn

import streamlit as st


def open_job(job_id: str) -> NoReturn:
    """Show a job instead of what is shown now."""
    st.switch_page("pages/ingestion.py", query_params={"view": "jobs", "job": job_id})
