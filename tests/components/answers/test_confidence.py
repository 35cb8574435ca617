from dataclasses import replace

import pytest
from haystack import Document

from khub.components.answers.calibration import evidence_of
from khub.components.answers.confidence import confidence, not_held
from khub.components.question import NO_SIGNS, KeywordSigns
from khub.components.text.language import detect_language

pytestmark = pytest.mark.unit

TERMS = {"alpha": 1.0, "beta": 1.0, "gamma": 2.0}


def passage(content: str, cosine: float | None = None, interaction: float = 0.5, **meta: str) -> Document:
    scores = {} if cosine is None else {"dense": cosine, "late_interaction": interaction}
    return Document(content=content, meta={**meta, "scores": scores})


def sure(
    *documents: Document,
    rarity: dict[str, float] | None = TERMS,
    unranked: float = 0.0,
    coverage: float = 1.0,
    filtered: bool = False,
    unknown: tuple[str, ...] = (),
    elsewhere: tuple[str, ...] = (),
) -> float:
    signs = NO_SIGNS if rarity is None else KeywordSigns(coverage, rarity, filtered, unknown, elsewhere)
    return evidence_of(confidence(list(documents), signs, detect_language(" ".join(rarity or ())), unranked))


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

    assert sure(passage("x", 0.5, language="en"), rarity=terms) > 0.8
    assert sure(passage("x", 0.25, 0.2, language="en"), rarity=terms) < 0.1
    assert sure(passage("x", 0.4, 0.4, language="zh"), rarity=terms) < sure(
        passage("x", 0.4, 0.4, language="en"), rarity=terms
    )


def test_words_that_the_first_passage_meets_by_their_meaning_speak_for_it() -> None:
    assert sure(passage("alpha", 0.42, 0.2)) < 0.2
    assert sure(passage("alpha", 0.42, 0.8)) > 0.5
    assert sure(passage("alpha", 0.5, 0.2), passage("alpha", 0.5, 0.8)) == sure(passage("alpha", 0.5, 0.2))


def ranking(first: float, rest: float, name: str) -> list[Document]:
    own = {"dense": 0.4, "late_interaction": 0.4, "sparse": 8.0}
    scores = [first, *(rest for _ in range(9))]
    return [Document(content="alpha", meta={"scores": own | {name: score}}) for score in scores]


@pytest.mark.parametrize("name", ["late_interaction", "sparse"])
def test_a_first_passage_that_stands_out_speaks_for_it(name: str) -> None:
    assert sure(*ranking(0.4, 0.4, name)) < sure(*ranking(0.4, 0.2, name)) < sure(*ranking(0.4, 0.05, name))


@pytest.mark.parametrize("name", ["late_interaction", "sparse"])
def test_from_a_few_passages_none_stands_out(name: str) -> None:
    assert sure(*ranking(0.4, 0.4, name)[:4]) == sure(*ranking(0.4, 0.2, name)[:4])


def test_a_keyword_leg_that_found_nothing_speaks_against_it() -> None:
    nothing = [Document(content="x", meta={"scores": {"dense": 0.4, "late_interaction": 0.4}}) for _ in range(9)]

    assert sure(*nothing) < sure(*ranking(8.0, 2.0, "sparse"))
    assert sure(*nothing) < sure(*nothing, rarity=None)


def test_terms_that_other_passages_hold_speak_against_one_without_them() -> None:
    steps = [sure(passage("alpha", 0.5), coverage=coverage) for coverage in (1.0, 0.75, 0.5, 0.25)]

    assert steps == sorted(steps)
    assert steps[-1] > 1.3 * steps[0]


def test_what_is_known_outside_a_filter_says_nothing() -> None:
    steps = [sure(passage("alpha", 0.5), coverage=coverage, filtered=True) for coverage in (1.0, 0.5, 0.1)]

    assert steps[0] == steps[1] == steps[2] == sure(passage("alpha", 0.5), coverage=0.5)


def test_a_name_that_no_document_holds_speaks_against_it() -> None:
    assert sure(passage("alpha", 0.5), unknown=("tesla",)) < 0.1 * sure(passage("alpha", 0.5))


@pytest.mark.parametrize(
    ("content", "language", "counts"),
    [
        ("他在磨坊里住了三十年", "zh", False),
        ("Beacon 运行在 Debian 上", "zh", True),
        ("it runs on a server", "en", True),
        ("`/etc/Config` 和 MAX_SIZE 是默认值，HTTP 端口是 80", "zh", False),
    ],
)
def test_a_name_counts_where_the_passages_could_hold_it(content: str, language: str, counts: bool) -> None:
    passages = [passage(content, 0.5, language=language)] * 3
    signs = KeywordSigns(rarity=TERMS, unknown=["e-1", "thornfield"], elsewhere=["thornfield"])

    assert not_held(passages, signs, "en") == (["e-1", "thornfield"] if counts else ["e-1"])
    less = sure(*passages, unknown=("thornfield",), elsewhere=("thornfield",))
    assert (less < sure(*passages)) is counts


def test_a_name_in_chinese_characters_is_a_term_that_a_passage_holds() -> None:
    plain = KeywordSigns(rarity={"zhang": 5.0, "wei": 5.0, "position": 2.0})
    spelled = replace(plain, spelled=[("zhang", "[张章][伟威]"), ("wei", "[张章][伟威]")])
    right, other = (passage(content, 0.4, language="zh") for content in ("张伟任总经理", "李娜任总经理"))

    known, unknown = (evidence_of(confidence([right], signs, "en", 0.0)) for signs in (spelled, plain))
    assert known > 2 * unknown
    assert confidence([other], spelled, "en", 0.0) == confidence([other], plain, "en", 0.0)


def test_terms_of_another_language_may_be_known_to_passages_of_that_alone() -> None:
    terms = {"机器": 4.0, "电池": 4.0}
    abroad = [sure(passage("x", 0.4, language="en"), rarity=terms, coverage=coverage) for coverage in (0.1, 0.5, 1.0)]

    assert abroad[0] > abroad[1] == abroad[2]


def test_nothing_found_is_no_confidence() -> None:
    assert confidence([], KeywordSigns(rarity=TERMS), "en", unranked=0.3) == 0.0


def test_a_leg_that_has_not_searched_is_neither_for_nor_against() -> None:
    assert sure(passage("alpha", 0.6), rarity=None) > 0.9
    assert sure(passage("alpha", 0.2), rarity=None) < 0.2
    assert sure(passage("alpha beta gamma")) > 0.5
    assert sure(passage("x")) < 0.5


def test_unknown_cosines_give_the_benefit_of_the_doubt() -> None:
    assert sure(Document(content="x"), unranked=0.7) == pytest.approx(evidence_of(0.7))
    assert sure(passage("x"), unranked=0.7) < 0.7
