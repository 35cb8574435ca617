"""Page accuracy."""

import pytest

from khub.eval.evaluators.page_evaluator import PageEvaluator
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.fixture
def accuracy(case, answer):
    """Return a function that measures one case."""

    def measure(places, citations, **settings):
        result = PageEvaluator(**settings).run(cases=[case(*places)], answers=[answer(*citations)])
        assert result["failed"] == []
        return result["scores"]["page_accuracy"][0]

    return measure


def test_the_first_citation_that_shows_the_place_is_looked_at(accuracy, place, cite):
    right, wrong = cite("heron", page=3), cite("heron", page=4)
    assert accuracy([place("heron", page=3)], [cite("other", page=9), right, wrong]) == 1
    assert accuracy([place("heron", page=3)], [wrong, right]) == 0
    assert accuracy([place("heron", page=3)], [cite("heron", page=None)]) == 0


def test_what_stands_on_two_pages_may_be_cited_from_either(accuracy, place, cite):
    places = [place("heron", page=1), place("heron", page=7)]
    assert accuracy(places, [cite("heron", page=7)]) == 1
    assert accuracy(places, [cite("heron", page=1)]) == 1
    assert accuracy(places, [cite("heron", page=2)]) == 0


def test_places_that_cannot_tell_are_left_out(accuracy, place, cite):
    assert accuracy([place("heron", page=None)], [cite("heron", page=5)]) is None
    assert accuracy([place("", page=3)], [cite("heron", page=3)]) is None
    assert accuracy([], [cite("heron", page=3)]) is None
    assert accuracy([place("code", page=None), place("heron", page=3)], [cite("code"), cite("heron", page=4)]) == 0


def test_only_the_first_citations_are_looked_at(accuracy, place, cite):
    citations = [cite("other")] * 5 + [cite("heron")]
    assert accuracy([place("heron")], citations) is None
    assert accuracy([place("heron")], citations, depth=6) == 1
    assert accuracy([place("heron")], []) is None


def test_a_depth_below_one_is_refused():
    with raises_code("graph_parameter_invalid", "PageEvaluator has depth=0"):
        PageEvaluator(depth=0)
