import pytest
from haystack import Document

from components.answers.confidence import FOUND, TYPICAL, confidence, signs_of
from components.stores.language_vectors import ByChance

pytestmark = pytest.mark.unit

RANDOM = ByChance({"en": 0.1, "zh": 0.3}, 0.05)


def passage(cosine: float = 0.4, language: str = "en", **scores: float) -> Document:
    return Document(content="alpha", meta={"language": language, "scores": {"dense": cosine, **scores}})


def sure(*documents: Document, by_chance: ByChance | None = RANDOM, unranked: float = 0.0) -> float:
    return confidence(list(documents), by_chance, unranked)


def rising(steps: list[float]) -> bool:
    return steps == sorted(steps) and steps[-1] > steps[0] + 0.05


def test_it_grows_with_the_best_cosine() -> None:
    assert rising([sure(passage(-0.3), passage(cosine)) for cosine in (0.1, 0.3, 0.6, 0.9)])


def test_a_cosine_counts_by_how_far_it_is_from_those_of_passages_at_random() -> None:
    other = ByChance({"en": 0.8}, 0.02)

    assert sure(passage(0.4), by_chance=RANDOM) == sure(passage(0.8 + 6 * 0.02), by_chance=other)


def test_a_passage_is_compared_with_those_in_its_language() -> None:
    assert sure(passage(0.4, "zh")) == sure(passage(0.2, "en")) < sure(passage(0.4, "en"))
    assert sure(passage(0.4, "fr")) == sure(passage(0.3, "en"))


@pytest.mark.parametrize("name", ["lacking", "lacking_share"])
def test_a_word_that_no_passage_meets_speaks_against_it(name: str) -> None:
    assert rising([sure(passage(**{name: lacking})) for lacking in (0.9, 0.4, 0.2, 0.0)])


def test_what_one_of_the_first_passages_meets_is_met() -> None:
    met = [passage(lacking=lacking) for lacking in (0.9, 0.9, 0.2)]

    assert sure(*met) == sure(*met[::-1]) == sure(met[2])
    assert sure(*[passage(lacking=0.9)] * 5, passage(lacking=0.2)) == sure(passage(lacking=0.9))


def ranking(first: float, rest: float) -> list[Document]:
    return [passage(late_interaction=score) for score in (first, *[rest] * 9)]


def test_a_first_passage_that_stands_out_speaks_for_it() -> None:
    assert rising([sure(*ranking(0.4, rest)) for rest in (0.4, 0.2, 0.05)])


def test_from_a_few_passages_none_stands_out() -> None:
    assert sure(*ranking(0.4, 0.4)[:4]) == sure(*ranking(0.4, 0.2)[:4])


def test_nothing_found_is_no_confidence() -> None:
    assert confidence([], RANDOM, unranked=0.3) == 0.0


def test_it_is_never_surer_than_that_an_answer_is_among_the_first_passages() -> None:
    best = sure(*(passage(0.99, late_interaction=score, lacking=0, lacking_share=0) for score in (0.9, *[0.1] * 9)))

    assert FOUND - 0.01 < best <= FOUND


def test_what_no_stage_has_measured_is_neither_for_nor_against() -> None:
    assert signs_of([Document(content="x")], None) == TYPICAL
    assert sure(passage(0.9), by_chance=None) == sure(passage(0.1), by_chance=None)
    assert 0.4 < sure(passage(), by_chance=None) < 0.7


def test_passages_without_scores_give_the_benefit_of_the_doubt() -> None:
    assert sure(Document(content="x"), unranked=0.8) == 0.8
    assert sure(passage(), unranked=0.9) < 0.9
