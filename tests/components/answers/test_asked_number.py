import pytest

from khub.components.answers.asked_number import asked_number, numbers_in

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "query",
    [
        "How many days of leave are there?",
        "how long does a charge last",
        "When does support end?",
        "What is the minimum length of a password?",
        "年假有几天",
        "住宿标准是每晚多少？",
        "试用期多久",
        "哪年成立的",
    ],
)
def test_a_question_that_asks_for_a_number(query: str) -> None:
    assert asked_number(query) is not None


@pytest.mark.parametrize(
    "query",
    [
        "How is it done?",
        "Who signs?",
        "谁来审批",
        "几乎没有的是什么",
        "what limits it",
        "多重身份验证怎么开",
        "许多大客户怎么续签",
        "茶几怎么装",
        "What should I do when the pump fails?",
    ],
)
def test_one_that_asks_for_something_else(query: str) -> None:
    assert asked_number(query) is None


@pytest.mark.parametrize(
    ("sentence", "query", "given"),
    [
        ("It lasts nine hours.", "how long", True),
        ("每晚六百元", "多少", True),
        ("The warranty lasts 1 year.", "How long is it?", True),
        ("It lasts one year.", "How long is it?", True),
        ("保修期为一年", "多久", True),
        ("The meeting is on Monday.", "When is the meeting?", True),
        ("See page 12 and section 4.2.", "How long is it?", False),
        ("保修十分重要，见第三章", "多久", False),
        ("Take one of them.", "How many?", False),
        ("The Ember 300 is one of them.", "How fast is the Ember 300?", False),
        ("It lasts long.", "how long", False),
    ],
)
def test_a_number_that_the_question_does_not_hold(sentence: str, query: str, given: bool) -> None:
    asked = asked_number(query)
    assert asked is not None
    assert bool(numbers_in(sentence) - asked) == given
