from typing import Any

import pytest
from haystack import Document

from khub.components.answer import Preference
from khub.components.answers.editions import newest_first
from khub.components.question import Question

pytestmark = pytest.mark.unit

FEE = "The annual membership fee is {} euro."


def passage(source: str, content: str = FEE.format(30), **meta: Any) -> Document:
    return Document(content=content, meta={"doc_id": source, "source": f"/files/{source}", **meta})


def order(documents: list[Document], text: str = "latest membership fee", words: str = "latest") -> list[str]:
    newest = [Preference("newest", None, words)]
    question = Question(text, text=text, terms=text.split(), preferences=newest)
    return [one.meta["source"].rpartition("/")[2] for one in newest_first(documents, question)]


@pytest.mark.parametrize(
    "documents",
    [
        [passage("fee_2023.md"), passage("fee_2025.md"), passage("fee_2024.md")],
        [passage(one, title=f"Fees {year}") for one, year in (("a", 2023), ("b", 2025), ("c", 2024))],
        [passage(one, section=f"Fees > {year}") for one, year in (("a", 2023), ("b", 2025), ("c", 2024))],
        [passage(one, year=year) for one, year in (("a", 2023), ("b", 2025), ("c", 2024))],
        [passage(one, date=f"{year}-05-01") for one, year in (("a", 2023), ("b", 2025), ("c", 2024))],
        [passage(one, f"{FEE} Since 1 May {year}.") for one, year in (("a", 2023), ("b", 2025), ("c", 2024))],
        [passage(one, modified_at=f"{year}-05-01T00:00:00Z") for one, year in (("a", 2023), ("b", 2025), ("c", 2024))],
        [passage("fee-v1.2.md"), passage("fee-v1.10.md"), passage("fee-v1.9.md")],
        [
            passage("a", "费用标准第1版：每年三十元"),
            passage("b", "费用标准第3版：每年八十元"),
            passage("c", "费用标准第2版：每年五十元"),
        ],
    ],
)
def test_a_year_or_a_version_counts_wherever_it_stands(documents: list[Document]) -> None:
    names = [one.meta["source"].rpartition("/")[2] for one in documents]

    assert order(documents) == [names[1], names[2], names[0]]


def test_nothing_moves_that_is_no_edition_or_holds_less_of_the_question() -> None:
    other = passage("parking_2026.md", "Parking costs 5 euro a day.")
    less = passage("fee_2026.md", "The annual report.")
    old, new = passage("fee_2023.md"), passage("fee_2025.md")

    assert order([other, old, less, new]) == ["parking_2026.md", "fee_2025.md", "fee_2026.md", "fee_2023.md"]


def test_only_the_best_passage_of_a_document_takes_part() -> None:
    documents = [passage("fee_2023.md"), passage("fee_2023.md"), passage("fee_2025.md"), passage("fee_2025.md")]

    assert order(documents) == ["fee_2025.md", "fee_2023.md", "fee_2023.md", "fee_2025.md"]


def test_without_such_a_question_and_beside_a_year_all_stay() -> None:
    documents = [passage("fee_2023.md"), passage("fee_2025.md")]

    assert newest_first(documents, Question("fee", text="fee", terms=["fee"])) is documents
    assert order(documents, "current membership fee in 2023", "current") == ["fee_2023.md", "fee_2025.md"]


def test_of_one_document_only_sections_with_dates_of_their_own_are_editions() -> None:
    def section(name: str, text: str) -> Document:
        return passage("log.md", text, section=name)

    parts = [section("Log > First", f"{FEE} In May 2023."), section("Log > Second", f"{FEE} In May 2025.")]
    years = [section("Log > 2023", FEE), section("Log > 2025", FEE)]
    question = Question("fee", text="latest fee", terms=["fee"], preferences=[Preference("newest", None, "latest")])

    assert newest_first(parts, question) == parts
    assert newest_first(years, question) == years[::-1]
