"""The way to a job."""

from typing import NoReturn

import streamlit as st


def open_job(job_id: str) -> NoReturn:
    """Show a job instead of what the page shows now."""
    st.query_params["view"] = "jobs"
    st.query_params["job"] = job_id
    st.rerun()
