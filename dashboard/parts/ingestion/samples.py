"""The samples that come with the hub: a first collection, so that there is something to ask."""

from pathlib import Path

import streamlit as st

import khub.eval
from khub.components.catalog.access import caller
from khub.dashboard.language import t
from khub.dashboard.parts.ingestion.open_job import begin_jobs
from khub.dashboard.visitor import may_write
from khub.server.http.asked_ingests import ask_for_paths
from khub.server.library.ingest_request import IngestRequest
from khub.server.reads.hub_reads import collections

FOLDER = Path(khub.eval.__file__).with_name("samples")
COLLECTION = "demo"


def offer_samples() -> None:
    """Offer to ingest them, where the hub is empty and the visitor may; whatever has begun is shown on its page."""
    bound = caller().collections
    if not may_write() or collections().names() or (bound is not None and COLLECTION not in bound):
        return
    label = t("Try the samples", "试用示例文档")
    told = t("Guides, reports and tables in English and Chinese", "中英文手册、报告与表格")
    if st.button(label, type="primary", key="samples", icon=":material/science:", help=told):
        wanted = IngestRequest(COLLECTION)
        begin_jobs(f"/{wanted.graph}/run", lambda: [ask_for_paths(wanted, [str(FOLDER)])])
