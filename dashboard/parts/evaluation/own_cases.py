"""The cases of the hub's own golden set."""

import streamlit as st

from khub.dashboard.language import t
from khub.dashboard.parts.evaluation.evaluation_words import show_rows, word
from khub.eval.cases import Case, read_cases
from khub.eval.synth.growing_set import set_file

PAGE = 50


def own_cases() -> None:
    """List them, the newest first."""
    file = set_file(None)
    cases = read_cases(file)[::-1] if file.is_file() else []
    pages = -(-len(cases) // PAGE)
    page = st.pagination(pages, key="cases-page") if pages > 1 else 1
    show_rows([_row(case) for case in cases[(page - 1) * PAGE : page * PAGE]])
    st.text(t(f"They are kept in {file}", f"保存在 {file}"))


def _row(case: Case) -> dict[str, str]:
    return {
        word("question"): case.question,
        t("expected answer", "期望答案"): case.answer or "",
        t("where it stands", "出处"): "; ".join(place.source for place in case.relevant),
        word("kind"): word(case.kind),
        word("language"): word(case.language),
    }
