import pytest
from haystack import Document

from components.answers.confidence import confidence

pytestmark = pytest.mark.unit


def passage(content: str, cosine: float | None = None, **meta: str) -> Document:
    scores = {} if cosine is None else {"dense": cosine}
    return Document(content=content, meta={**meta, "scores": scores})


@pytest.mark.parametrize(("cosine", "expected"), [(0.9, 0.9), (0.6, 0.6), (0.1, 0.5), (-0.3, 0.5), (None, 0.5)])
def test_it_is_the_larger_of_cosine_and_share_of_terms(cosine: float | None, expected: float) -> None:
    assert confidence([passage("the budget", cosine)], {"budget", "2024"}, unranked=0.0) == expected


def test_the_share_is_that_of_one_passage_with_its_title_and_section() -> None:
    scattered = [passage("alpha"), passage("beta"), passage("gamma")]
    together = [passage("alpha", title="Beta", section="Gamma > Delta")]

    assert confidence(scattered, {"alpha", "beta", "gamma"}, unranked=0.0) == pytest.approx(1 / 3, abs=1e-4)
    assert confidence(together, {"alpha", "beta", "gamma"}, unranked=0.0) == 1.0


def test_nothing_found_is_no_confidence() -> None:
    assert confidence([], {"alpha"}, unranked=0.3) == 0.0


def test_a_query_without_terms_is_judged_by_the_cosine() -> None:
    assert confidence([passage("rocket", 0.4)], set(), unranked=0.0) == 0.4


def test_unknown_cosines_give_the_benefit_of_the_doubt() -> None:
    assert confidence([Document(content="x")], {"alpha"}, unranked=0.3) == 0.3
    assert confidence([passage("x")], {"alpha"}, unranked=0.3) == 0.0


def test_a_cosine_above_one_by_rounding_stays_in_bounds() -> None:
    assert confidence([passage("x", 1.0000002)], set(), unranked=0.0) == 1.0


def test_cosine_counts_half_when_no_word_was_ever_met() -> None:
    assert confidence([passage("x", 0.4)], {"zzzqqq"}, unranked=0.0) == 0.4
    assert confidence([passage("x", 0.4)], {"zzzqqq"}, unranked=0.0, unheard=True) == 0.2
