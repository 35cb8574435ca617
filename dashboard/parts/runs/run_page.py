"""A page of runs: their list, or the one that the address names."""

from collections.abc import Callable

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.page import open_page
from khub.dashboard.parts.address import show_address
from khub.dashboard.parts.runs.chosen_run import chosen_run
from khub.dashboard.parts.runs.model_calls import show_model_calls
from khub.dashboard.parts.runs.run_head import show_head
from khub.dashboard.parts.runs.run_list import show_runs
from khub.dashboard.parts.runs.stage_values import show_stage
from khub.dashboard.parts.runs.waterfall import show_waterfall
from khub.server.reads.opened_record import is_opened
from khub.server.traces.trace_record import TraceRecord

ShowRun = Callable[[TraceRecord, bool], None]
"""Is given the record, and whether all that it tells of is opened to the visitor."""


def open_run_page(page: str, kinds: tuple[str, ...], title: str, headings: tuple[str, str], show: ShowRun) -> None:
    """Show a page of runs.

    :param page: the page's file.
    :param kinds: that the page shows.
    :param headings: of the list, and of one run.
    :param show: draws a run below its head.
    """

    def shown() -> None:
        show_address()
        if "trace" not in st.query_params:
            show_runs(page, kinds)
        elif record := chosen_run(page, kinds):
            opened = is_opened(record)
            show_head(record, opened)
            show(record, opened)

    open_page(title, shown, heading=headings["trace" in st.query_params])


def show_stages(record: TraceRecord, opened: bool) -> None:
    """Show what the stages of a run did, and what they asked language models.

    :param opened: whether all that it tells of is opened to the visitor.
    """
    st.header(t("Stages", "各阶段"))
    show_waterfall(record)
    show_stage(record, opened)
    show_model_calls(record, opened)
