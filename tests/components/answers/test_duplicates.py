from typing import Any

import pytest
from haystack import Document

from khub.components.answers.duplicates import merged

pytestmark = pytest.mark.unit

LONG = (
    "The travel budget for the year 2024 is three hundred euros for each person. It is paid in March, on the tenth. "
    "Hotels are booked by the office; whoever books alone pays alone. Trains come before planes on all routes below "
    "six hours. Receipts are handed in within thirty days, as a scan, with the number of the journey on each page."
)
CHINESE = (
    "年度差旅预算为每人三百元，于三月十日发放。酒店由办公室统一预订，自行预订的费用由本人承担。六小时以内的路线优先乘坐火车，"
    "其余路线可以乘坐飞机。票据在三十天内交到财务，逾期不予报销。出国之前先办保险，保险费由公司支付；家属同行的部分自理。"
    "住宿标准每年调整一次，以公告为准。"
)


def passage(id_: str, content: str, **meta: Any) -> Document:
    fields = {"doc_id": f"d-{id_}", "source": f"/docs/{id_}.pdf", "title": id_.upper(), "section": "", "page": 1}
    return Document(id=id_, content=content, meta=fields | meta)


def ids(documents: list[Document]) -> list[str]:
    return [document.id for document in documents]


def test_equal_texts_become_one_that_names_the_places_of_the_others() -> None:
    found = merged([passage("a", LONG), passage("x", "other"), passage("b", LONG, page=7), passage("c", LONG)], 0.9)

    assert ids(found) == ["a", "x"]
    assert found[0].meta["also_in"] == [
        {"doc_id": "d-b", "source": "/docs/b.pdf", "title": "B", "page": 7},
        {"doc_id": "d-c", "source": "/docs/c.pdf", "title": "C", "page": 1},
    ]
    assert "also_in" not in found[1].meta


@pytest.mark.parametrize(
    "same",
    [LONG.upper(), LONG.replace(" ", "\n"), LONG.replace("2024", "２０２４"), "  " + LONG.replace(". ", ".\n\n")],
)
def test_case_width_and_white_space_make_no_difference(same: str) -> None:
    assert ids(merged([passage("a", LONG), passage("b", same)], 1.0)) == ["a"]


def test_nothing_is_touched_where_nothing_is_said_twice() -> None:
    documents = [passage("a", LONG), passage("b", CHINESE), passage("c", ""), passage("d", "短")]

    assert merged(documents, 0.7) is documents


@pytest.mark.parametrize(("text", "end"), [(LONG, " on each page."), (CHINESE, "，以公告为准。")])
def test_a_near_text_without_a_word_of_its_own_is_merged_from_the_threshold_on(text: str, end: str) -> None:
    near = [passage("a", text), passage("b", text.removesuffix(end))]

    assert ids(merged(near, 0.9)) == ["a"]
    assert ids(merged(near, 1.0)) == ["a", "b"]


@pytest.mark.parametrize(("old", "new"), [("2024", "2025"), ("three", "four"), ("March", "April")])
def test_another_number_or_word_keeps_a_near_text_apart(old: str, new: str) -> None:
    assert ids(merged([passage("a", LONG), passage("b", LONG.replace(old, new))], 0.7)) == ["a", "b"]


def test_a_text_that_says_more_than_the_first_one_stays() -> None:
    assert ids(merged([passage("a", LONG[:280]), passage("b", LONG)], 0.7)) == ["a", "b"]


def test_a_short_text_means_something_under_its_heading_only() -> None:
    def short(id_: str, section: str) -> Document:
        return passage(id_, "Default: 30", section=section, title="Manual")

    assert ids(merged([short("a", "Manual > Timeout"), short("b", "Manual > Retries")], 0.9)) == ["a", "b"]
    assert ids(merged([short("a", "Manual > Timeout"), short("b", "Timeout")], 0.9)) == ["a"]


def test_rows_under_different_table_headers_differ() -> None:
    rows = "| 1 | 2 |\n" * 40

    assert ids(merged([passage("a", rows, table_header="| x | y |"), passage("b", rows)], 1.0)) == ["a", "b"]


def test_places_that_a_merged_passage_had_are_kept_once() -> None:
    known = {"doc_id": "d-z", "source": "/docs/z.pdf", "title": "Z", "page": None}
    found = merged([passage("a", LONG, also_in=[known]), passage("b", LONG, also_in=[known])], 0.9)

    assert [place["doc_id"] for place in found[0].meta["also_in"]] == ["d-z", "d-b"]
