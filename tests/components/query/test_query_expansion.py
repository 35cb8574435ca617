from collections.abc import Sequence
from typing import Any

import pytest
from haystack import Pipeline, component

from khub.components.errors import GraphError, RetrievalError
from khub.components.query.query_expansion import QueryExpansion
from khub.components.question import Expansion, Question

pytestmark = pytest.mark.unit


@component
class Expander:
    def __init__(self, gives: list[str]) -> None:
        self.gives = gives
        self.warmed = self.closed = 0

    def warm_up(self) -> None:
        self.warmed += 1

    def close(self) -> None:
        self.closed += 1

    @component.output_types(queries=list[str])
    def run(self, query: str) -> dict[str, Any]:
        return {"queries": self.gives}


def expanded(part: QueryExpansion, text: str, known: Sequence[Expansion] = ()) -> list[Expansion]:
    return part.run(question=Question(text, text, expansions=list(known)))["question"].expansions


def terms(found: list[Expansion]) -> list[str]:
    return [term for expansion in found for term in expansion.terms]


def test_words_that_are_new_are_added_each_by_itself_the_most_frequent_first() -> None:
    part = QueryExpansion(Expander(["accumulator runtime of the robot", "robot runtime", "机器人续航"]), weight=0.2)
    found = expanded(part, "How long does the robot's battery last?")

    assert found[0] == Expansion(["runtim"], False, 0.2, "")
    assert terms(found) == ["runtim", "accumul", "机器", "器人", "人续", "续航"]


def test_the_wordings_are_glosses_behind_what_is_known_in_their_language() -> None:
    asked = Question("battery", "battery", glosses={"en": "cell"})
    part = QueryExpansion(Expander(["accumulator runtime", "battery", "机器人续航"]))
    assert part.run(question=asked)["question"].glosses == {"en": "cell, accumulator runtime", "zh": "机器人续航"}


def test_known_expansions_come_first_and_are_not_repeated() -> None:
    known = [Expansion(["accumul"], False, 0.5, "battery")]
    found = expanded(QueryExpansion(Expander(["accumulator runtime"])), "battery", known)

    assert found[0] == known[0]
    assert terms(found) == ["accumul", "runtim"]


def test_the_number_of_words_is_bounded() -> None:
    assert len(expanded(QueryExpansion(Expander(["red green blue"]), max_terms=2), "colour")) == 2


@pytest.mark.parametrize("gives", [[], ["the question"]])
def test_an_expander_with_nothing_to_say_is_reported(gives: list[str]) -> None:
    with pytest.raises(RetrievalError, match="no other wording"):
        expanded(QueryExpansion(Expander(gives)), "the question")


@pytest.mark.parametrize("wrong", [{"weight": 0}, {"weight": 1.1}, {"max_terms": 0}, {"expander": "none"}])
def test_parameters_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(GraphError):
        QueryExpansion(**{"expander": Expander([]), **wrong})


def test_it_is_warmed_up_closed_written_and_read_with_its_expander() -> None:
    expander = Expander(["a b"])
    part = QueryExpansion(expander, weight=0.4, max_terms=3)
    part.warm_up()
    part.close()
    pipeline = Pipeline()
    pipeline.add_component("expand", part)
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*", __name__]).get_component("expand")

    assert (expander.warmed, expander.closed) == (1, 1)
    assert (again.weight, again.max_terms, again.expander.gives) == (0.4, 3, ["a b"])
