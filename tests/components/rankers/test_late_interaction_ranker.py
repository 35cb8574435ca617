import copy
from typing import Any

import pytest
from haystack import Document

from khub.components.errors import GraphError, KhubError
from khub.components.question import Question
from khub.components.rankers import late_interaction_ranker
from khub.components.rankers.late_interaction_ranker import LateInteractionRanker

pytestmark = pytest.mark.unit

QUESTION = "How do I recharge the robot's battery?"
ABOUT = "Plug the machine into the charger to fill its accumulator."
BESIDE = "The annual report lists revenue by region and quarter."


def passage(id_: str, content: str, score: float | None = 0.5, **meta: Any) -> Document:
    return Document(id=id_, content=content, meta=meta, score=score)


def ranked_by(
    ranker: LateInteractionRanker,
    documents: list[Document],
    query: str = QUESTION,
    glosses: dict[str, str] | None = None,
) -> list[Document]:
    return ranker.run(question=Question(query, query, glosses=glosses or {}), documents=documents)["documents"]


def order(documents: list[Document], query: str = QUESTION, **parameters: Any) -> list[str]:
    return [document.id for document in ranked_by(LateInteractionRanker(**parameters), documents, query)]


def test_a_passage_that_says_it_in_other_words_comes_first() -> None:
    assert order([passage("beside", BESIDE), passage("about", ABOUT)]) == ["about", "beside"]


def test_a_translation_is_met_by_its_meaning() -> None:
    documents = [passage("beside", "年度报告按地区列出收入。"), passage("about", "机器人的电池怎样充电。")]

    assert order(documents) == ["about", "beside"]


def test_a_gloss_counts_as_much_as_the_question_where_a_passage_is_in_its_language() -> None:
    documents = [passage("about", ABOUT, language="en"), passage("chinese", "机器人的电池怎样充电。", language="zh")]
    question, gloss = "机器人没电了咋整", "robot no power charge battery"

    def interactions(asked: str, glosses: dict[str, str] | None = None) -> dict[str, float]:
        ranked = ranked_by(LateInteractionRanker(), documents, asked, glosses)
        return {document.id: document.meta["scores"]["late_interaction"] for document in ranked}

    plain, glossed, both = interactions(question), interactions(gloss), interactions(question, {"en": gloss})

    assert both["about"] == pytest.approx((plain["about"] + glossed["about"]) / 2)
    assert both["about"] > plain["about"]
    assert both["chinese"] == plain["chinese"]
    own = interactions(gloss, {"en": "giraffe"})
    assert own["about"] == pytest.approx((glossed["about"] + interactions("giraffe")["about"]) / 2)
    assert own["chinese"] == glossed["chinese"]
    assert interactions(question, {"ko": gloss}) == plain


def test_a_gloss_counts_for_what_is_met_nowhere_too() -> None:
    documents = [passage("about", ABOUT, language="en"), passage("beside", BESIDE, language="en")]

    def scores(weight: float, glosses: dict[str, str]) -> list[float | None]:
        ranker = LateInteractionRanker(weight=0, unmet_weight=weight)
        ranked = ranked_by(ranker, documents, "明天下雨吗", glosses)
        return [document.score for document in ranked]

    assert scores(0.5, {"en": "charge the accumulator"})[0] > scores(0.5, {})[0]  # type: ignore[operator]
    assert scores(0, {"en": "charge the accumulator"}) == scores(0, {})


def test_the_weight_decides_between_the_ranking_so_far_and_the_interaction() -> None:
    documents = [passage("beside", BESIDE, 0.9), passage("about", ABOUT, 0.4)]

    assert order(documents, weight=0.1) == ["beside", "about"]
    assert order(documents, weight=0.6) == ["about", "beside"]


def test_scores_are_the_weighted_sum_and_ranks_tell_of_both() -> None:
    documents = [
        passage("beside", BESIDE, 0.9, ranks={"dense": 1, "rerank": 1}, scores={"dense": 0.7}),
        passage("about", ABOUT, 0.4, ranks={"dense": 2, "rerank": 2}, scores={"dense": 0.6}),
    ]

    ranker = LateInteractionRanker(weight=0.4, unmet_weight=0)
    first, second = ranked_by(ranker, documents)

    assert (first.id, first.score) == ("about", pytest.approx(0.6 * 0.4 + 0.4))
    assert (second.id, second.score) == ("beside", pytest.approx(0.6 * 0.9))
    assert first.meta["ranks"] == {"dense": 2, "late_interaction": 1, "rerank": 1}
    assert second.meta["ranks"] == {"dense": 1, "late_interaction": 2, "rerank": 2}
    assert first.meta["scores"]["dense"] == 0.6
    assert first.meta["scores"]["late_interaction"] > second.meta["scores"]["late_interaction"]


def test_a_passage_in_another_language_is_compared_with_those_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("khub.components.rankers.late_interaction_ranker.NEIGHBOURS", 3)
    own = ["The robot has a battery.", "The battery of the robot.", "A robot and its battery."]
    documents = [
        *(passage(f"own{n}", content, language="en") for n, content in enumerate(own)),
        passage("about", "给电池充电的办法。", language="zh"),
        passage("beside", "年度报告按地区列出收入。", language="zh"),
    ]

    assert order(documents, weight=1, unmet_weight=0)[0] == "about"
    assert order(documents, "42 battery robot", weight=1, unmet_weight=0)[0] == "about"


def test_title_and_heading_are_part_of_the_passage() -> None:
    documents = [passage("plain", BESIDE), passage("titled", BESIDE, section="Recharging the robot > Battery")]

    assert order(documents) == ["titled", "plain"]


def test_a_long_passage_does_not_win_by_its_length() -> None:
    everything = " ".join(f"{BESIDE} Word number {n} of many, from apple to zebra." for n in range(40))

    assert order([passage("long", everything), passage("short", ABOUT)], weight=1.0)[0] == "short"


TOGETHER = "The giraffe has a battery. The hall is empty."
APART = "The giraffe is empty. The hall has a battery."


def test_words_that_stand_together_in_a_sentence_count_for_more() -> None:
    documents = [passage("apart", APART), passage("together", TOGETHER)]
    question = "battery of the giraffe"

    def scores(**parameters: Any) -> dict[str, float]:
        ranked = ranked_by(LateInteractionRanker(**parameters), documents, question)
        return {document.id: document.score or 0.0 for document in ranked}

    by_sentence, whole = scores(weight=0, sentence_weight=1), scores(weight=0, sentence_weight=0)
    assert whole["together"] == pytest.approx(whole["apart"])
    assert by_sentence["together"] > by_sentence["apart"] + 0.02
    assert order(documents, question, weight=1, unmet_weight=0, sentence_weight=0.5) == ["together", "apart"]
    half = scores(weight=0, sentence_weight=0.5)["apart"]
    assert half == pytest.approx((by_sentence["apart"] + whole["apart"]) / 2)


def test_a_sentence_in_another_language_does_not_count_by_itself() -> None:
    documents = [passage("apart", APART, language="en"), passage("together", TOGETHER, language="en")]

    def ranked(query: str, weight: float) -> list[Document]:
        return ranked_by(LateInteractionRanker(sentence_weight=weight), documents, query)

    assert ranked("长颈鹿的电池在哪里", 1.0) == ranked("长颈鹿的电池在哪里", 0.0)
    assert ranked("Where is the giraffe's battery?", 1.0) != ranked("Where is the giraffe's battery?", 0.0)


def test_the_interaction_that_is_told_is_that_of_the_whole_passage() -> None:
    documents = [passage("a", TOGETHER), passage("b", APART)]

    def told(weight: float) -> dict[str, float]:
        ranked = ranked_by(LateInteractionRanker(sentence_weight=weight), documents, "giraffe battery")
        return {document.id: document.meta["scores"]["late_interaction"] for document in ranked}

    assert told(1.0) == told(0.0)


def test_top_k_cuts_the_ranking() -> None:
    both = [passage("a", ABOUT), passage("b", BESIDE)]
    assert len(order(both, top_k=1)) == 1
    wanting = Question("giraffe", "giraffe", top_k=1)
    assert len(LateInteractionRanker(top_k=1).run(question=wanting, documents=both)["documents"]) == 2


@pytest.mark.parametrize("query", ["🤖", "🤖🤖 🤖"])
def test_a_question_without_a_known_word_keeps_the_order(query: str) -> None:
    assert order([passage("b", BESIDE, 0.6), passage("a", ABOUT, 0.5)], query=query) == ["b", "a"]


def test_passages_without_text_or_score_are_ranked_last() -> None:
    documents = [passage("empty", "", None), passage("about", ABOUT, None)]

    assert order(documents) == ["about", "empty"]
    assert order([]) == []


def test_a_changed_title_is_read_anew() -> None:
    ranker = LateInteractionRanker(weight=1.0)
    documents = [passage("a", BESIDE, title="Revenue"), passage("b", BESIDE, title="Costs")]
    ranked_by(ranker, documents)
    documents[1].meta["title"] = "Recharging the battery of a robot"

    assert ranked_by(ranker, documents)[0].id == "b"


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_interaction_ranker, "REMEMBERED", 3)
    ranker = LateInteractionRanker()
    documents = [passage(str(n), f"passage {n}") for n in range(5)]

    ranked_by(ranker, documents)

    assert len(ranker._remembered) == 3
    assert len(ranked_by(ranker, documents)) == 5


def test_the_inputs_are_left_as_they_are() -> None:
    documents = [passage("a", ABOUT), passage("b", BESIDE)]
    before = copy.deepcopy(documents)

    ranked_by(LateInteractionRanker(), documents)

    assert documents == before


def test_the_encoder_brings_its_static_half(tmp_path: Any) -> None:
    with pytest.raises(GraphError, match="no vectors of single tokens"):
        LateInteractionRanker(model="khub-base").warm_up()
    with pytest.raises(KhubError, match="no embedding model"):
        LateInteractionRanker(model=str(tmp_path / "absent")).warm_up()


@pytest.mark.parametrize(
    "parameters",
    [
        {"weight": 1.1},
        {"sentence_weight": -0.1},
        {"sentence_weight": 1.1},
        {"top_k": 0},
    ],
)
def test_parameters_out_of_bounds_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(GraphError, match=next(iter(parameters))):
        LateInteractionRanker(**parameters)


def test_a_passage_that_meets_nothing_of_the_question_falls_behind() -> None:
    documents = [passage("beside", "Zebras graze.", 0.5), passage("about", ABOUT, 0.4)]

    lenient = ranked_by(LateInteractionRanker(weight=0, unmet_weight=0), documents)
    strict = ranked_by(LateInteractionRanker(weight=0, unmet_weight=0.5), documents)

    assert [document.id for document in lenient] == ["beside", "about"]
    assert [document.id for document in strict] == ["about", "beside"]
    assert all(0 <= document.score <= 1 for document in strict)
