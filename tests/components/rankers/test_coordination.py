"""Which passages hold the question's words."""

import json
import random

import pytest

from khub.components.embedders.model_folder import SHIPPED
from khub.components.question import Expansion
from khub.components.rankers.coordination import FROM, coordination
from khub.components.text.english_stem import stem
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


def degree(question: str, text: str, synonyms: list[Expansion] | None = None) -> float:
    return coordination(tokenize(question), [text], synonyms or [])[0]


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("swifts sleep above clouds", "Clouds above, where swifts have slept: they SLEEP.", 1.0),
        ("swifts sleep above clouds", "Swifts sleep above the trees.", (0.75 - FROM) / (1 - FROM)),
        ("swifts sleep above clouds", "Swifts sleep.", 0.0),
        ("charging stations", "The station charges.", 1.0),
        ("a dying cat", "A cat may die.", 1.0),
        ("cat cat cat dog", "A cat.", 0.0),
        ("违约责任", "由甲方承担违约的责任，违约责任另计", 1.0),
        ("违约责任", "违约", 0.0),
        ("error E-4012 of the getUserName call", "the call of getUserName: error E-4012", 1.0),
        ("ＡＰＩ gateway", "the API gateway", 1.0),
        ("gateway of the 网关", "ｇａｔｅｗａｙ of the 网关", 1.0),
        ("words", "", 0.0),
    ],
)
def test_a_passage_counts_that_holds_nearly_all_words(question: str, text: str, expected: float) -> None:
    assert degree(question, text) == pytest.approx(expected)


def test_each_passage_has_its_own_degree() -> None:
    texts = ["ember firmware update", "ember update", "firmware of the ember update"]

    assert coordination(tokenize("ember firmware update"), texts) == [1.0, 0.0, 1.0]


def test_nothing_counts_without_words_or_passages() -> None:
    assert coordination([], ["a text"]) == [0.0]
    assert coordination(["word"], []) == []


def test_a_synonym_stands_in_for_its_word() -> None:
    synonyms = [
        Expansion(tokenize("annual leave"), False, 1.0, "PTO"),
        Expansion(tokenize("vacation"), False, 1.0, "PTO"),
        Expansion(tokenize("coffee"), False, 1.0, "tea"),
    ]

    assert degree("PTO carry over", "carry over of annual leave", synonyms) == 1.0
    assert degree("PTO carry over", "carry over a vacation", synonyms) == 1.0
    assert degree("PTO carry over", "carry over PTO", synonyms) == 1.0
    assert degree("PTO carry over", "carry over an annual report", synonyms) == 0.0
    assert degree("PTO carry over", "carry over a vacation") == 0.0


def test_a_translation_stands_in_for_its_term() -> None:
    translated = [
        Expansion(["充电"], False, 1.0, "charg", translated=True),
        Expansion(["车站"], False, 1.0, "station", translated=True),
        Expansion(["站点"], False, 1.0, "station", translated=True),
    ]

    assert degree("charging stations", "附近的充电站点", translated) == 1.0
    assert degree("charging stations", "充电 station", translated) == 1.0
    assert degree("charging stations", "充电的费用", translated) == 0.0
    assert degree("charging stations", "附近的充电站点") == 0.0


def test_what_is_looked_for_first_leaves_no_word_out() -> None:
    vocabulary = json.loads((SHIPPED / "khub-fast" / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    words = {word.lower() for word in vocabulary if word.isascii() and word.isalpha()}

    assert len(words) > 10_000
    assert [word for word in words if coordination([stem(word)], [f"the {word} there"]) != [1.0]] == []


def test_it_is_the_share_of_the_words_that_tokens_tell() -> None:
    random_ = random.Random(3)
    words = ["Charging", "charged", "stations", "dies", "dying", "don't", "站点", "充电", "ｗｉｄｅ", "wide"]
    words += ["v2.13.0", "2024年1月5日", "2024-01-05", "1,000", "1000"]
    for _ in range(300):
        question, text = (" ".join(random_.choices(words, k=random_.randint(1, 8))) for _ in range(2))
        terms = set(tokenize(question))
        share = len(terms & set(tokenize(text))) / len(terms)
        assert degree(question, text) == pytest.approx(max(0.0, (share - FROM) / (1 - FROM))), (question, text)
