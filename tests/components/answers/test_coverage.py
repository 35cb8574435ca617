"""The first passages hold together what a question names."""

import pytest
from haystack import Document

from khub.components.answers.coverage import LOOKED_AT, covering
from khub.components.question import Expansion
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


def order(query, passages, weight=0.3, expansions=(), step=0.05):
    """Return the places of the passages, whose scores fall by `step`."""
    documents = [Document(id=str(n), content=text, meta={"source": f"/{n}.md"}) for n, text in enumerate(passages)]
    scores = [1 - step * n for n in range(len(documents))]
    return [int(one.id) for one in covering(documents, scores, list(tokenize(query)), expansions, weight)]


ACME = [f"Working hours at Acme, part {n}" for n in range(6)]


def test_a_side_that_the_best_passages_lack_has_the_second_place():
    assert order("working hours acme bolt", [*ACME, "At Bolt the day begins at 9:00"])[:2] == [0, 6]
    assert order("甲公司和乙公司的年假", ["甲公司年假五天", "甲公司年假规定", "甲公司年假表", "乙公司休假"])[:2] == [
        0,
        3,
    ]


def test_the_first_passage_stays_and_none_is_lost():
    found = order("alpha beta gamma", ["alpha", "beta gamma", "gamma", *["other"] * (LOOKED_AT + 3)])
    assert found[0] == 0
    assert sorted(found) == list(range(LOOKED_AT + 6))


def test_what_all_hold_or_none_holds_or_weighs_nothing_moves_none():
    same = ["working hours"] * 5
    assert order("working hours", same) == list(range(5))
    assert order("no such word", same) == list(range(5))
    assert order("working hours bolt", [*ACME, "bolt"], weight=0.0) == list(range(7))


def test_a_word_in_the_other_language_holds_it_too():
    words = list(tokenize("螺栓"))
    expansions = [Expansion(["bolt"], False, 1.0, words[0])]
    assert order("acme 螺栓", [*ACME, "A bolt"], expansions=expansions)[1] == 6
