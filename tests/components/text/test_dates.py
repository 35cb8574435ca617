import pytest

from khub.components.text.dates import dates, dates_in, times

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-01-05, 2024/1/6 and 2024.1.7", ["2024-01-05", "2024-01-06", "2024-01-07"]),
        ("2024年1月5日、2024 年 3 月", ["2024-01-05", "2024-03"]),
        ("5 January 2024; Feb. 3rd, 2025; March 2026", ["2024-01-05", "2025-02-03", "2026-03"]),
        ("2025-01-01 then 2024-01-01 and 2025-01-01 again", ["2025-01-01", "2024-01-01"]),
        ("2024-13-40, 2023-02-29, version 2024.1.5.3, 12/05/2024, may 2024 be", []),
    ],
)
def test_dates(text: str, expected: list[str]) -> None:
    assert dates_in(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("founded in 2011, not 2012", ["2011"]),
        ("by 31 March", ["-03-31"]),
        ("3 月 31 日", ["-03-31"]),
        ("一九九八年", ["1998"]),
        ("on 30 February 2024", []),
    ],
)
def test_less_than_whole_dates(text: str, expected: list[str]) -> None:
    assert [date for date, _ in dates(text)] == expected


def test_times() -> None:
    assert [time for time, _ in times("9:05 pm, 22:00, 下午三点, 凌晨两点半, 十点")] == [
        "21:05",
        "22:00",
        "15:00",
        "02:30",
    ]
