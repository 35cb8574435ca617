"""A form that makes a question that was asked a case of the hub's own golden set, as `khub eval add` does."""

from dataclasses import replace
from pathlib import Path

import streamlit as st

from khub.components.answers.shown_text import shown_text
from khub.components.catalog.access import caller
from khub.components.catalog.parts import shown_name
from khub.components.errors import GoldenSetError
from khub.dashboard.changes import noted
from khub.dashboard.language import info, t
from khub.dashboard.page import part
from khub.dashboard.parts.document_text import show_document_text
from khub.dashboard.parts.evaluation.evaluation_words import word
from khub.dashboard.visitor import may_write
from khub.eval.cases import KINDS, LANGUAGES, Case, Place
from khub.eval.run.own_collection import folder_of
from khub.eval.synth.growing_set import add_cases, set_file
from khub.eval.synth.trace_case import Asked, Cited, called_right, case_of, place_of, read_asked
from khub.server.reads.known_passages import known_passages

ANSWERS, HELPS, NEITHER = 2, 1, 0
ADDED = "case added"


@part
def golden_case_form(trace_id: str) -> None:
    """Let the visitor say what answers a traced question, and keep the two as a case.

    :param trace_id: the trace's id, or the start of it.
    """
    if not caller().sees_all:
        info("Only who may see all documents can add to it.", "只有能查看全部文档的人可以添加评测题。")
        return
    if not may_write():
        info("You may read, but not write: no case can be added.", "您只有读取权限，不能添加评测题。")
        return
    asked = read_asked(trace_id)
    with st.form(f"golden-case-{asked.trace_id}"):
        question = st.text_area(t("Question", "问题"), asked.question, height=68)
        places = [*_cited_places(asked), *_other_places()]
        unanswerable = st.checkbox(t("The documents do not answer it: to abstain is right", "文档中没有答案：应当拒答"))
        answer = st.text_input(t("Expected answer (optional)", "期望答案（选填）"))
        language, kind = _about(asked)
        folder = _folder(asked)
        if st.form_submit_button(t("Add to evaluation", "加入评测集")):
            _check(places, unanswerable)
            asked = replace(asked, question=question)
            answered = answer.strip() or None
            graded = [] if unanswerable else [place_of(one, asked, folder, answered, grade) for one, grade in places]
            case = case_of(asked, graded, None if unanswerable else answered, None if unanswerable else kind)
            _add(replace(case, language=language))
            st.rerun()  # the cases below have one more
        if added := st.session_state.pop(ADDED, None):
            st.success(t("Added to evaluation:", "已加入评测集："))
            st.text(added)


def _cited_places(asked: Asked) -> list[tuple[str, int]]:
    """Return the citations that the visitor calls right, as `place_of` reads them, with their grades."""
    if not asked.cited:
        st.text(t("Nothing was cited.", "该回答没有引用任何段落。"))
        return []
    st.text(t("Which passages answer it?", "哪些段落回答了这个问题？"))
    right = called_right(asked)
    known = known_passages(asked.collection, [one.chunk_id for one in asked.cited])
    texts = {i: shown_text(chunk) for i, chunk in known.items()}
    chosen = [_cited_place(one, texts.get(one.chunk_id, one.text), str(one.number) in right) for one in asked.cited]
    return [(place, grade) for place, grade in chosen if grade != NEITHER]


def _cited_place(one: Cited, text: str, right: bool) -> tuple[str, int]:
    with st.container(border=True):
        page = t(f", page {one.page}", f"，第 {one.page} 页") if one.page else ""
        st.text(f"{one.number}. {shown_name(one.source)}{page}")
        show_document_text(text)
        grade = st.radio(
            t(f"Passage {one.number}", f"段落 {one.number}"),
            (NEITHER, ANSWERS, HELPS),
            index=1 if right else 0,
            format_func={
                NEITHER: t("no answer", "不相关"),
                ANSWERS: t("answers it", "回答了问题"),
                HELPS: t("helps", "有帮助"),
            }.__getitem__,
            horizontal=True,
            key=f"grade-{one.chunk_id}",
        )
        quote = st.text_input(
            t("Words of it that prove it (empty: the closest line)", "作为依据的原文（留空则取最接近的一句）"),
            key=f"quote-{one.chunk_id}",
        )
    return f"{one.number}={quote}" if quote.strip() else str(one.number), grade


def _other_places() -> list[tuple[str, int]]:
    given = st.text_area(
        t("Places that were not cited, one a line: FILE#PAGE=QUOTE", "未被引用的出处，每行一个：文件#页码=原文"),
        height=68,
    )
    return [(line.strip(), ANSWERS) for line in given.splitlines() if line.strip()]


def _about(asked: Asked) -> tuple[str, str]:
    found = case_of(asked, (), None, None).language
    names, kinds = {"en": "English", "zh": "中文"}, {kind: word(kind) for kind in KINDS[:-1]}
    left, right = st.columns(2)
    language = left.selectbox(t("Language", "语言"), LANGUAGES, LANGUAGES.index(found), format_func=names.__getitem__)
    return language, right.selectbox(t("Kind of question", "问题类型"), kinds, format_func=kinds.__getitem__)


def _folder(asked: Asked) -> Path:
    try:
        folder = str(folder_of(asked.collection))
    except GoldenSetError:  # what came from addresses alone has none
        folder = ""
    given = st.text_input(
        t("Folder of the documents", "文档所在文件夹"),
        folder,
        help=t("The case names its files from there.", "评测题中的文件名以此文件夹为起点。"),
    )
    return Path(given).expanduser().absolute()


def _check(places: list[tuple[str, int]], unanswerable: bool) -> None:
    if unanswerable and places:
        raise GoldenSetError(
            t("passages are chosen, and nothing is to answer it", "既选了段落，又选了“没有答案”"),
            t("take one of the two back", "请取消其中一项"),
        )
    if not unanswerable and not any(grade == ANSWERS for _, grade in places):
        raise GoldenSetError(
            t("no passage is said to answer it", "没有选择回答了问题的段落"),
            t("choose one, or say that the documents do not answer it", "请选择段落，或勾选“文档中没有答案”"),
        )


def _add(case: Case) -> None:
    file = set_file(None)
    with noted("POST", "/evaluation/cases"):
        added = add_cases(file, [case])
    if not added:
        raise GoldenSetError(
            t(f"{file} has this question already", f"{file} 中已有这个问题"),
            t("edit its line there", "如需修改，请编辑该文件中的对应行"),
        )
    st.session_state[ADDED] = "\n".join([str(file), *(_said(place) for place in case.relevant)])


def _said(place: Place) -> str:
    page = t(f", page {place.page}", f"，第 {place.page} 页") if place.page else ""
    return f"{place.source}{page}: {place.evidence}"
