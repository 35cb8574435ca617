import pytest
from haystack import Document

from components.answers.confidence import confidence

pytestmark = pytest.mark.unit

TERMS = {"alpha": 1.0, "beta": 1.0, "gamma": 2.0}


def passage(content: str, cosine: float | None = None, interaction: float = 0.5, **meta: str) -> Document:
    scores = {} if cosine is None else {"dense": cosine, "late_interaction": interaction}
    return Document(content=content, meta={**meta, "scores": scores})


def sure(
    *documents: Document,
    rarity: dict[str, float] | None = TERMS,
    unranked: float = 0.0,
) -> float:
    return confidence(list(documents), rarity, unranked)


def test_it_grows_with_the_best_cosine() -> None:
    steps = [sure(passage("alpha", -0.3), passage("alpha", cosine)) for cosine in (0.1, 0.4, 0.5, 0.6, 0.9)]

    assert steps == sorted(steps)
    assert steps[0] < 0.1
    assert steps[-1] > 0.9


def test_it_grows_with_the_share_of_terms_in_one_passage_rare_ones_weighing_more() -> None:
    none, common, rare, all_terms = (
        sure(passage(content, 0.4)) for content in ("x", "alpha", "gamma", "alpha beta gamma")
    )

    assert none < common < rare < all_terms


def test_the_share_is_that_of_one_passage_with_its_title_and_section() -> None:
    scattered = [passage("alpha", 0.35), passage("beta", 0.35), passage("gamma", 0.35)]
    together = [passage("alpha", 0.35, title="Beta", section="Gamma > Delta")]

    assert sure(*together) > 1.5 * sure(*scattered)


def test_a_close_passage_in_another_language_is_believed_and_a_mere_sound_is_not() -> None:
    terms = {"机器": 4.0, "电池": 4.0}

    assert sure(passage("x", 0.5, language="en"), rarity=terms) > 0.9
    assert sure(passage("x", 0.25, 0.2, language="en"), rarity=terms) < 0.1
    assert sure(passage("x", 0.4, 0.4, language="zh"), rarity=terms) < sure(
        passage("x", 0.4, 0.4, language="en"), rarity=terms
    )


def test_words_that_the_first_passage_meets_by_their_meaning_speak_for_it() -> None:
    assert sure(passage("alpha", 0.4, 0.2)) < 0.2
    assert sure(passage("alpha", 0.4, 0.8)) > 0.5
    assert sure(passage("alpha", 0.5, 0.2), passage("alpha", 0.5, 0.8)) == sure(passage("alpha", 0.5, 0.2))


def test_nothing_found_is_no_confidence() -> None:
    assert confidence([], TERMS, unranked=0.3) == 0.0


def test_a_leg_that_has_not_searched_is_neither_for_nor_against() -> None:
    assert sure(passage("alpha", 0.6), rarity=None) > 0.9
    assert sure(passage("alpha", 0.2), rarity=None) < 0.2
    assert sure(passage("alpha beta gamma")) > 0.5
    assert sure(passage("x")) < 0.5


def test_unknown_cosines_give_the_benefit_of_the_doubt() -> None:
    assert sure(Document(content="x"), unranked=0.7) == 0.7
    assert sure(passage("x"), unranked=0.7) < 0.7
