"""An answer or passages with the page beside them, in the browser: two columns of which the second one stays."""

from collections.abc import Sequence
from typing import TypedDict, cast

import streamlit as st

from khub.dashboard.browser_part import browser_part
from khub.dashboard.language import t
from khub.dashboard.parts.reader.sheet import SheetData

EVENTS = ("shown", "unfolded", "judged", "opened")


class Why(TypedDict):
    """Why a passage was chosen: a table, and lines below it."""

    head: list[str]
    rows: list[list[str]]
    lines: list[str]


class PassageData(TypedDict):
    """What the browser is given of a passage.

    :param number: the n of its mark [n].
    :param where: section, file and page in one line.
    :param html: its text.
    :param evidence: what of it answers, as Markdown.
    :param address: of its document; None where that is on the page already.
    :param page: None where the document has no pages.
    :param why: None where it is not asked for or not known.
    """

    number: int
    title: str
    where: str
    html: str
    evidence: str
    chunk_id: str
    address: dict[str, str] | None
    page: int | None
    why: Why | None
    right: bool | None


class Link(TypedDict):
    """A way on: its label, and what is sent where it is taken."""

    label: str
    to: str
    address: dict[str, str]


class ReaderData(TypedDict):
    """What is read.

    :param turn: tells one answer from another.
    :param shown: number of the passage that is shown first; 0 for the first one.
    :param lead: the answer's words as HTML with marks [n].
    :param notes: (`warning` or `note`, text): what went otherwise than planned.
    :param facts: one line below the words.
    :param links: ways on.
    :param markdown: the answer as a file; empty for none.
    """

    turn: str
    shown: int
    lead: str
    notes: list[tuple[str, str]]
    facts: str
    passages: list[PassageData]
    links: list[Link]
    markdown: str
    judges: bool


class Shown(TypedDict):
    """Which passage is shown on which page."""

    number: int
    page: int | None


class Judged(TypedDict):
    """What was just said of a passage."""

    chunk_id: str
    right: bool


class Told(TypedDict, total=False):
    """What the browser tells: what is looked at, which reasons are unfolded, and what was just done."""

    shown: Shown
    unfolded: Sequence[int]
    judged: Judged | None


_mount = browser_part("reader", '<div class="reader"></div>')


def told_by(key: str) -> Told:
    """Return what the browser tells; nothing before it has drawn the reader.

    :param key: of the reader.
    """
    return cast("Told", st.session_state.get(key) or {})


def show_reader(data: ReaderData, sheet: SheetData | None, key: str) -> None:
    """Show it; a way on that was taken is followed.

    :param sheet: the page that is shown; None before it is drawn.
    """
    given = {**data, "sheet": sheet, "words": _words()}
    result = _mount(key, given, EVENTS)
    if opened := result.get("opened"):
        st.switch_page(f"pages/{opened['to']}.py", query_params=opened["address"])


def _words() -> dict[str, str]:
    return {
        "question": t("Question", "问题"),
        "copy": t("Copy", "复制"),
        "copied": t("Copied", "已复制"),
        "save": t("Save", "保存"),
        "link": t("Link", "链接"),
        "right": t("Right", "正确"),
        "wrong": t("Wrong", "有误"),
        "noted": t("Noted. The question can be added to the evaluation.", "已记录。可将此问题加入评测集。"),
        "why": t("Why this one", "为何选中"),
        "open": t("Open the document", "打开文档"),
        "more": t("All of it", "全部"),
        "less": t("Less", "收起"),
        "passage": t("Passage", "段落"),
        "page": t("Page", "原页"),
        "back": t("Back to the passage", "回到段落"),
        "next": t("Next page", "下一页"),
        "previous": t("Previous page", "上一页"),
        "larger": t("Larger", "放大"),
        "smaller": t("Smaller", "缩小"),
        "drawing": t("Drawing the page …", "正在绘制页面……"),
        "text": t("Text around it", "上下文"),
    }
