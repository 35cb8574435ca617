"""What a question names and the passages do not hold."""

import pytest

from khub.components.answer import Citation
from khub.components.answers.not_shown import not_shown
from khub.components.text.question_language import question_language
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


def absent(question, *texts):
    passages = [Citation(n, f"c{n}", source="/docs/notes.md", text=text) for n, text in enumerate(texts, start=1)]
    return not_shown(question, tokenize(question), question_language(question), passages)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Until when does Beacon 5.0 receive fixes?", "5.0"),
        ("What revenue did Costco report for 2018?", "2018"),
        ("What does E-4015 mean?", "e-4015"),
        ("What is the price of the Ember 450?", "450"),
        ("退出码 137 说明什么？", "137"),
        ("高测股份 2025 年的营业收入是多少？", "2025"),
        ("高测股份2025年第2季度的营业收入是多少？", "2025"),
    ],
)
def test_what_no_passage_holds_is_found(question, missing):
    assert absent(
        question, "Beacon 4.2 and Costco in 2019; E-4012; Ember 300; 退出码 139；高测股份 2024 年"
    ).anywhere == [missing]


@pytest.mark.parametrize(
    "question",
    [
        "Until when does Beacon 4.2 receive fixes?",
        "What revenue did Costco report for 2019?",
        "Which 10 products sold best within 30 days?",  # these are counted
        "报销 2000 元以下的差旅要审批吗？",
        "How high is the margin?",
        "供应商换了版本，我们能发现吗？",
    ],
)
def test_what_is_held_or_only_counts_is_not(question):
    assert not any(absent(question, "Beacon 4.2, Costco, 2019"))


def test_a_number_is_no_part_of_another():
    assert absent("What happened in 2018?", "part 20181, version 3.2018").anywhere == ["2018"]


def test_the_only_number_has_to_stand_in_the_first_passage():
    passages = ("Beacon 4.2 gets fixes until 2029.", "Webhooks change in Beacon 5.0.")
    assert absent("Until when does Beacon 5.0 get fixes?", *passages) == ([], ["5.0"])
    assert not any(absent("What differs between Beacon 4.2 and Beacon 5.0?", *passages))  # each may have its own


def test_a_name_is_found_that_a_passage_in_the_same_language_does_not_hold():
    assert absent("How far is it to Toronto?", "It is four hours to Ottawa.").anywhere == ["toronto"]


def test_names_may_be_called_otherwise_in_another_language():
    assert not any(absent("How much is the allowance in Germany?", "在德国出差，每天的餐补是六十欧元，其余照旧。"))


def test_where_nothing_is_shown_nothing_is_missing():
    assert not any(absent("What happened in 2018?"))


@pytest.mark.parametrize(
    ("question", "missing", "held"),
    [
        ("青岛啤酒上半年净利润是多少？", "青岛啤酒", "青岛啤酒上半年净利润 12 亿元"),
        ("去日本出差一天补多少？", "日本", "Per day in Japan: 60"),
        ("丽珠集团 8 月 17 日收在多少钱？", "8 月 17 日", "丽珠集团 2023年8月17日 收盘 33 元"),
        ("How many were in stock on 30 June 2026?", "30 june 2026", "Stock of 2026-06-30: 12"),
        ("How many points does a C- give?", "c-", "| C- | 1.5 |"),
    ],
)
def test_chinese_names_days_and_marks_are_looked_for_in_any_form(question, missing, held):
    elsewhere = "华润啤酒 8 月 18 日 欧洲 2026-03-31 丽珠集团 stock | C+ | 2.5 |"
    assert absent(question, elsewhere).anywhere == [missing]
    assert not any(absent(question, elsewhere, held))
