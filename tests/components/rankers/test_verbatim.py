"""What of a question stands in a passage word for word."""

import pytest

from khub.components.rankers.verbatim import MOST_WORDS, verbatim_shares

pytestmark = pytest.mark.unit


def share(question: str, passage: str) -> float:
    return verbatim_shares(question, [passage])[0]


@pytest.mark.parametrize(
    ("question", "passage", "expected"),
    [
        ("swifts sleep above clouds", "They say that swifts sleep above clouds.", 1.0),
        ("swifts sleep above clouds", "Swifts SLEEP\nabove clouds", 1.0),
        ("swifts sleep above clouds", "Clouds above: swifts and others sleep.", 0.0),
        ("swifts sleep above clouds", "Above clouds, swifts sleep above mountains.", 0.75),
        ("swifts sleep", "A swifts nest.", 0.0),
        ("who says that swifts sleep?", "He says that swifts eat.", 2 / 3),
        ("what is it", "what is it", 0.0),
        ("合同的违约责任", "违约责任由双方承担", 2 / 3),
        ("合同的违约责任怎么规定", "合同与违约的责任", 0.0),
        ("错误码 E-4012 是什么意思", "错误码 E-4012 表示遮挡", 3.5 / 4.5),
        ("", "anything", 0.0),
        ("🤖 ?!", "🤖 ?!", 0.0),
        ("swifts sleep", "", 0.0),
    ],
)
def test_the_share_is_that_of_the_longest_run(question: str, passage: str, expected: float) -> None:
    assert share(question, passage) == pytest.approx(expected)


def test_stop_words_neither_count_nor_part_a_run() -> None:
    assert share("the maximum of the chunk sizes", "It is the maximum of the chunk sizes.") == 1.0
    assert share("the maximum of the chunk sizes", "maximum chunk sizes") == pytest.approx(2 / 3)


def test_a_chinese_stop_word_parts_runs() -> None:
    assert share("请问报销期限", "报销期限") == 1.0
    assert share("请问报销期限是多少天", "报销期限是多少天") == pytest.approx(2 / 2.5)


def test_of_a_long_question_its_beginning_is_looked_up() -> None:
    words = [f"word{n}" for n in range(3 * MOST_WORDS)]
    question = " ".join(words)

    assert share(question, " ".join(words[:MOST_WORDS])) == pytest.approx(1.0)
    assert share(question, " ".join(words[MOST_WORDS:])) == 0.0


def test_each_passage_has_its_share() -> None:
    assert verbatim_shares("swifts sleep", ["owls", "swifts sleep", ""]) == [0.0, 1.0, 0.0]
    assert verbatim_shares("swifts sleep", []) == []
