import pytest

from components.answers.applied_filters import by_page, searched_words

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("query", "words", "left"),
    [
        ("the budget in the PDFs?", "in the PDFs", "the budget ?"),
        ("差旅  预算 PDF里", "PDF里", "差旅 预算"),
        ("in the PDFs", "in the PDFs", "in the PDFs"),
        ("the budget", "", "the budget"),
    ],
)
def test_words_that_became_a_filter_are_not_searched(query: str, words: str, left: str) -> None:
    named = {"from": "question", "words": words}

    assert " ".join(searched_words(query, [named]).split()) == left
    for kept in ({**named, "dropped": "nothing matches"}, {**named, "from": "caller"}):
        assert searched_words(query, [kept]) == " ".join(query.split())


def test_a_word_that_only_begins_as_a_filter_does_stays() -> None:
    applied = [{"from": "question", "words": words} for words in ("tag:ai", "tag:aircraft")]

    assert searched_words("tag:ai tag:aircraft safety rules", applied).split() == ["safety", "rules"]
    assert searched_words("page 1 on the error of page 12", [{"from": "question", "words": "page 1"}]).endswith(
        "page 12"
    )


def test_a_filter_that_the_question_names_in_two_places_leaves_both() -> None:
    named = {"from": "question", "words": "on page 3 … on page 5"}

    assert searched_words("the rules on page 3 and on page 5", [named]).split() == ["the", "rules", "and"]


@pytest.mark.parametrize(
    ("text", "found"), [("page:3", True), ("type:pdf page:3", True), ("-page:3", False), ("title:homepage:3", False)]
)
def test_a_filter_by_pages(text: str, found: bool) -> None:
    assert by_page([{"text": text}]) == found
    assert not by_page([{"text": text, "dropped": "nothing matches"}])
