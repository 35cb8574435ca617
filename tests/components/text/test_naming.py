import pytest

from khub.components.text.naming import file_words, years_in, years_of

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("ACME_2021_10K", ["2021"]),
        ("Form 10-K FY15", ["2015"]),
        ("fy'23 and FY 2024", ["2023", "2024"]),
        ("minutes 20230315", ["2023"]),
        ("2021年年度报告", ["2021"]),
        ("version 20245, part 3021, 12021, taffy 20", []),
    ],
)
def test_years(text: str, years: list[str]) -> None:
    assert years_in(text) == years


def test_a_document_is_of_the_years_of_its_file_and_of_its_title() -> None:
    assert years_of("/1999/acme_2021.pdf#row=2020", "Outlook on 2022") == ["2021", "2022"]
    assert years_of("notes.txt", None) == []


def test_words_of_a_file() -> None:
    assert file_words("C:\\in\\annual-report_2024.v2.pdf") == "annual report 2024 v2"
    assert file_words("/a/.env") == ".env".strip(".")
