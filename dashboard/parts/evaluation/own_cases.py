"""The cases of the hub's own golden set."""

import streamlit as st

from khub.dashboard.language import info, t
from khub.dashboard.parts.evaluation.evaluation_words import head_of, word
from khub.dashboard.parts.paged_table import choose_page, page_of
from khub.dashboard.parts.table import Cell, Column, Row, show_table
from khub.eval.cases import Case, read_cases
from khub.eval.synth.growing_set import set_file

PAGES = "cases-page"


def own_cases() -> None:
    """List them, the newest first."""
    file = set_file(None)
    cases = read_cases(file)[::-1] if file.is_file() else []
    columns = [
        Column(head_of("question"), kind="main"),
        Column(t("Expected answer", "期望答案"), kind="text", width=640),
        Column(t("Where it stands", "出处"), kind="text"),
        Column(head_of("kind"), width=640),
        Column(head_of("language"), width=960),
    ]
    rows = [Row(case.id, _cells(case)) for case in page_of(cases, PAGES)]
    if rows:
        show_table(t("Cases of this hub", "本知识库的评测题"), columns, rows, "own-cases")
    else:
        info(
            "None yet. A case comes from an answer: ask a question, then follow “Add to evaluation” below it.",
            "还没有评测题。评测题来自回答：先提问，再点击回答下方的“加入评测集”。",
        )
    choose_page(len(cases), PAGES)
    st.text(t(f"They are kept in {file}", f"保存在 {file}"))


def _cells(case: Case) -> list[Cell]:
    places = "; ".join(place.source for place in case.relevant)
    return [*map(Cell, (case.question, case.answer or "", places, word(case.kind), word(case.language)))]
