"""Why a passage was chosen: its rank and score at every stage, and the words that found it."""

from typing import Any

import streamlit as st

from dashboard.language import t
from dashboard.parts.plain_text import plain


def show_why(result: dict[str, Any]) -> None:
    """Show where a passage stood.

    :param result: of `results` of `server.questions.explain`.
    """
    st.table(
        [
            {
                t("Stage", "阶段"): name,
                t("Rank", "名次"): str(place["rank"]),
                t("Score", "得分"): "" if place["score"] is None else f"{place['score']:.3f}",
            }
            for name, place in result["stages"].items()
        ],
        hide_index=True,
    )
    held = ", ".join(
        plain(word["term"]) + (f" ×{word['count']}" if word["count"] > 1 else "") for word in result["terms"]
    )
    if held:
        st.caption(t(f"Words of the question in it: {held}", f"命中的词：{held}"))
    if result["other_words"]:
        others = ", ".join(plain(found["words"]) for found in result["other_words"])
        st.caption(t(f"In other words: {others}", f"同义或译词：{others}"))
    if result["missing"]:
        missing = ", ".join(map(plain, result["missing"]))
        st.caption(t(f"Not in it: {missing}", f"未出现：{missing}"))
