"""The two languages of the pages: every text stands in both where it is shown."""

from typing import Literal, cast

import streamlit as st

Language = Literal["en", "zh"]
KEPT = "language"
"""Under this key the choice lives as long as the visit, and in the address."""


def language() -> Language:
    """Return the language that was chosen; else that of the browser, if it is one of the two; else English."""
    chosen = st.session_state.get(KEPT) or st.query_params.get("lang")
    if chosen not in {"en", "zh"}:
        chosen = "zh" if (st.context.locale or "").lower().startswith("zh") else "en"
    return cast("Language", chosen)


def t(english: str, chinese: str) -> str:
    """Return the text in the language of the visit."""
    return chinese if language() == "zh" else english


def caption(english: str, chinese: str) -> None:
    """Show a quiet line in the language of the visit."""
    st.caption(t(english, chinese))


def info(english: str, chinese: str) -> None:
    """Show what is to be known in the language of the visit."""
    st.info(t(english, chinese))


def warning(english: str, chinese: str) -> None:
    """Show what is to be heeded in the language of the visit."""
    st.warning(t(english, chinese))
