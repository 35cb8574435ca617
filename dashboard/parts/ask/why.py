"""Why a passage was chosen: its rank and score at every stage, and the words that found it."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.plain_text import plain
from khub.server.questions.explained_result import ExplainedResult, StagePlace


def show_why(result: ExplainedResult, above: ExplainedResult | None = None) -> None:
    """Show where a passage stood.

    :param result: of `results` of `khub.server.questions.explain`.
    :param above: that of the passage which the answer cites before it; None for the first.
    """
    st.caption(t("Rank and score after each stage; the last row decides.", "各阶段后的名次与得分，以最后一行为准。"))
    st.table([_row(name, place, above) for name, place in result["stages"].items()], hide_index=True)
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


def _row(stage: str, place: StagePlace, above: ExplainedResult | None) -> dict[str, str]:
    row = {t("Stage", "阶段"): stage, t("Rank", "名次"): str(place["rank"]), t("Score", "得分"): _score(place)}
    if above is not None:
        other = above["stages"].get(stage)
        row[t("The passage above it", "上一段落")] = f"{other['rank']} · {_score(other)}".rstrip("· ") if other else "–"
    return row


def _score(place: StagePlace) -> str:
    return "" if place["score"] is None else f"{place['score']:.3f}"
