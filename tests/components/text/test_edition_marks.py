import datetime

import pytest

from khub.components.text.edition_marks import newest_date, newest_version, without_marks

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("fees_2025", "2025"),
        ("Rates of 2019, changed in 2024", "2024"),
        ("valid from March 2024, before that from November 2023", "2024-03"),
        ("2024年11月起执行，2023年3月版作废", "2024-11"),
        ("二〇二五年", "2025"),
        ("report-20250315", "2025-03-15"),
        ("report_2025_03", "2025-03"),
        ("Q3 2025", "2025-09"),
        ("2025年第二季度", "2025-06"),
        ("FY24", "2024"),
        ("300 euro", ""),
        ("", ""),
    ],
)
def test_the_newest_date_of_a_text(text: str, date: str) -> None:
    assert newest_date(text) == date


def test_what_is_planned_for_later_years_is_no_date_of_a_text() -> None:
    assert newest_date(f"since 2021, and until {datetime.date.today().year + 20}") == "2021"


def test_versions_are_compared_number_by_number() -> None:
    assert newest_version("guide-v1.10") > newest_version("guide-v1.9") > newest_version("guide-v1.2") > ()
    assert newest_version("Version 3") == newest_version("第3版") == newest_version("3版") == (3,)
    assert newest_version("handbook-1.10", bare=True) > newest_version("handbook 1.9", bare=True)
    assert newest_version("It costs 1.10 euro") == newest_version("2024年版") == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fees_2023", "fees_2025"),
        ("guide-v1.2", "guide-v1.10"),
        ("差旅标准（2023年版）", "差旅标准（2025年版）"),
        ("Report March 2024", "Report November 2023"),
    ],
)
def test_names_of_editions_are_alike_without_their_marks(one: str, other: str) -> None:
    assert without_marks(one) == without_marks(other) != ""


def test_names_of_other_texts_are_not() -> None:
    assert without_marks("Costco 2023") != without_marks("Amazon 2023")
