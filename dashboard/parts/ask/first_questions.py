"""Questions to begin with: some out of the titles of what is there, and those that the visitor asked before."""

import streamlit as st

from khub.components.catalog.access import caller
from khub.components.catalog.document_page import Wanted
from khub.dashboard.language import language, t
from khub.dashboard.plain_text import plain, shortened
from khub.server.reads.hub_reads import reader, title_of
from khub.server.traces.index import RunFilter, find_runs

SAMPLES = 3
LOOKED_AT = 20
ASKED, SHOWN = 60, 8
LONGEST = 80


def show_first_questions(names: list[str]) -> str | None:
    """Show questions, and return the one that is chosen.

    :param names: of the collections that are asked.
    """
    chosen = None
    kinds = (
        ("search", t("For example", "例如"), _about_titles(names)),
        ("history", t("Asked before", "最近的提问"), _asked()),
    )
    for icon, head, questions in kinds:
        if questions:
            st.subheader(head, anchor=False)
        with st.container(gap="xxsmall"):
            for question in questions:
                name = plain(shortened(question, LONGEST))
                if st.button(name, icon=f":material/{icon}:", type="tertiary", key=f"{icon} {question}"):
                    chosen = question
    return chosen


def _about_titles(names: list[str]) -> list[str]:
    """Return questions about documents that were read lately, of each collection in turn, in their own language."""
    found: list[list[str]] = []
    for name in names[:SAMPLES]:
        rows = reader().page(Wanted(name, None, None, "ready", "updated_at", True, None, None), None, LOOKED_AT)[1]
        titled = [row for row in rows if row["title"] and row["title"] not in row["source"]]
        found.append([_about(title_of(row), row["language"]) for row in titled if len(title_of(row)) <= LONGEST])
    turns = [questions[place] for place in range(LOOKED_AT) for questions in found if place < len(questions)]
    own = sorted(turns, key=lambda one: one.startswith("《") != (language() == "zh"))  # the visitor's language first
    return list(dict.fromkeys(own))[:SAMPLES]


def _about(title: str, language: str | None) -> str:
    return f"《{title}》主要讲什么？" if language == "zh" else f"What is {title} about?"


def _asked() -> list[str]:
    """Return the visitor's own last questions, each once."""
    rows = find_runs(RunFilter(kinds=("query",)), 0, ASKED).runs
    own = [row.query for row in rows if row.query and (row.caller or "") == caller().name]
    return list(dict.fromkeys(own))[:SHOWN]
