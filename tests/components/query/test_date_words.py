import datetime
import re

import pytest

from components.query.date_words import CHINESE_PERIOD, ENGLISH_PERIOD, chinese_period, english_period

pytestmark = pytest.mark.unit

TODAY = datetime.date(2026, 11, 21)  # a Saturday


@pytest.mark.parametrize(
    ("words", "period"),
    [
        ("today", "2026-11-21"), ("yesterday", "2026-11-20"),
        ("Tuesday", "2026-11-17"), ("last Saturday", "2026-11-14"),
        ("last week", "2026-11-09..2026-11-15"), ("the last week", "2026-11-14..2026-11-21"),
        ("past 3 months", "2026-08-21..2026-11-21"), ("last two years", "2024-11-21..2026-11-21"),
        ("this month", "2026-11"), ("last month", "2026-10"), ("last quarter", "2026-07-01..2026-09-30"),
        ("last year", "2025"), ("March", "2026-03"), ("last March", "2026-03"), ("December", "2025-12"),
        ("November", "2026-11"), ("last November", "2025-11"),
        ("March 2024", "2024-03"), ("May 5th, 2024", "2024-05-05"),
        ("5 May 2024", "2024-05-05"), ("Q3 2024", "2024-07-01..2024-09-30"), ("2024 Q1", "2024-01-01..2024-03-31"),
        ("the second quarter of 2024", "2024-04-01..2024-06-30"), ("H2 2024", "2024-07-01..2024-12-31"),
        ("the first half of 2024", "2024-01-01..2024-06-30"), ("2024", "2024"), ("2024-03", "2024-03"),
        ("February 30, 2024", "None"),
    ],
)  # fmt: skip
def test_english(words, period):
    assert re.fullmatch(ENGLISH_PERIOD, words, re.IGNORECASE)
    assert str(english_period(words, TODAY)) == period


@pytest.mark.parametrize(
    ("words", "period"),
    [
        ("今天", "2026-11-21"), ("前天", "2026-11-19"), ("周二", "2026-11-17"), ("上周三", "2026-11-11"),
        ("本周日", "2026-11-22"), ("上周", "2026-11-09..2026-11-15"), ("这个星期", "2026-11-16..2026-11-22"),
        ("上个月", "2026-10"),
        ("本季度", "2026-10-01..2026-12-31"), ("今年", "2026"), ("去年", "2025"), ("前年", "2024"),
        ("去年的3月", "2025-03"), ("去年十二月", "2025-12"), ("今年第一季度", "2026-01-01..2026-03-31"),
        ("2024年下半年", "2024-07-01..2024-12-31"), ("2024 年 3 月 5 日", "2024-03-05"), ("2023年度", "2023"),
        ("最近一周", "2026-11-14..2026-11-21"), ("近三个月", "2026-08-21..2026-11-21"),
        ("过去30天", "2026-10-22..2026-11-21"),
        ("最近半年", "2026-05-21..2026-11-21"), ("最近半个月", "2026-11-06..2026-11-21"), ("3月份", "2026-03"),
        ("十二月", "2025-12"), ("2024年2月30日", "None"),
    ],
)  # fmt: skip
def test_chinese(words, period):
    assert re.fullmatch(CHINESE_PERIOD, words)
    assert str(chinese_period(words, TODAY)) == period


def test_the_end_of_a_shorter_month():
    assert str(english_period("past 1 month", datetime.date(2026, 3, 31))) == "2026-02-28..2026-03-31"
