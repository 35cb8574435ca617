import itertools
import json
import math
from dataclasses import replace
from typing import Any

import pytest
from haystack import Document

from khub.components.answer import Answer, AppliedFilter, LegReport, Preference
from khub.components.answers.answer_builder import AnswerBuilder
from khub.components.answers.calibration import evidence_of
from khub.components.errors import GraphError, QueryError, RetrievalError
from khub.components.question import Expansion, Intent, KeywordSigns, Leg, Question
from khub.components.value import as_json

pytestmark = pytest.mark.unit

DENSE, SPARSE = Leg("dense"), Leg("sparse", signs=KeywordSigns(1.0))
FAILED_RANK = [{"stage": "rank", "reason": "no answer in 2 s"}]
FAILED_DENSE = [{"stage": "dense", "reason": "FileNotFoundError: model.onnx"}]
NO_DENSE = Leg("dense", used=False, reason="FileNotFoundError: model.onnx", failed=True)


def passage(id_: str, content: str = "The travel budget is 300.", score: float | None = 0.9, **meta: Any) -> Document:
    fields = {"doc_id": "d1", "source": "/docs/plan.pdf", "title": "Plan", "section": "Money", "page": 2}
    ranks = {"ranks": {"dense": 1, "fusion": 2, "rerank": 1}, "scores": {"dense": 0.7}}
    return Document(id=id_, content=content, score=score, meta=fields | ranks | meta)


def unranked(id_: str, score: float) -> Document:
    return Document(id=id_, content="unrelated", score=score, meta={"source": "a.md"})


def answer(documents: list[Document], query: str = "What is the travel budget?", **given: Any) -> Answer:
    """Give a component the parameters, its `run` the inputs, and the question the rest."""
    of_builder = {"max_characters", "min_confidence", "sure_confidence", "mark_model", "whole_from"}
    parts = [of_builder, {"legs", "degraded", "top_k"}]
    parameters, inputs = ({name: given.pop(name) for name in names & set(given)} for names in parts)
    question = Question(query, **{"text": query, **given})
    inputs = {"legs": [DENSE, SPARSE], **inputs}
    return AnswerBuilder(**parameters).run(question=question, documents=documents, **inputs)["answer"]


def test_the_answer_has_the_agreed_shape_and_json_holds_it() -> None:
    result = as_json(answer([passage("c1", image_refs=["d1_2_1"])], collection="plans"))
    text = result.pop("answer")

    assert result.pop("confidence") > 0.7
    assert [result.pop(name) for name in ("graph", "trace_id", "timings_ms")] == ["", "", {}]
    assert result == {
        "abstained": False,
        "citations": [
            {
                "id": 1,
                "chunk_id": "c1",
                "doc_id": "d1",
                "source": "/docs/plan.pdf",
                "url": None,
                "title": "Plan",
                "section": "Money",
                "page": 2,
                "text": "The travel budget is 300.",
                "evidence": "The travel budget is 300.",
                "score": 0.9,
                "ranks": {"dense": 1, "fusion": 2, "rerank": 1},
                "images": ["d1_2_1"],
                "also_in": [],
                "context": None,
            }
        ],
        "intent": "search",
        "intent_confidence": 1.0,
        "filters": [],
        "preferences": [],
        "corrections": {},
        "collection": "plans",
        "legs": [
            {"name": "dense", "used": True, "hits": 0, "reason": ""},
            {"name": "sparse", "used": True, "hits": 0, "reason": "", "coverage": 1.0},
        ],
        "degraded": [],
    }
    assert (
        "**[1] Plan › Money** — `plan.pdf`, page 2\n\n> **The travel budget is 300**.\n\nimage: `d1_2_1` (page 2)"
        in text
    )
    json.dumps(as_json(result), allow_nan=False)


def test_bare_passages_are_cited_too() -> None:
    result = answer([Document(id="c1", content=None, score=math.nan), Document(id="c2", content="travel budget")])

    assert [(c.chunk_id, c.source, c.title, c.page, c.text) for c in result.citations] == [
        ("c1", "", "", None, ""),
        ("c2", "", "", None, "travel budget"),
    ]
    assert result.collection == ""
    json.dumps(as_json(result), allow_nan=False)


@pytest.mark.parametrize(
    ("query", "word"), [("差旅预算是多少", "第 2 页"), ("travel budget", "page 2"), ("🚀", "found")]
)
def test_fixed_words_follow_the_language_of_the_query(query: str, word: str) -> None:
    assert word in answer([passage("c1", content="差旅预算 travel budget")], query=query).answer


def test_the_answer_begins_with_the_evidence_of_the_first_passage() -> None:
    text = "Trips need a form. The travel budget is 900 euros a year."
    first = answer([passage("c1", content=text)], query="How much is the travel budget?").answer.splitlines()[0]
    assert "900 euros a year" in first
    assert "form" not in first
    assert "[1]" in first


def test_top_k_of_the_call_comes_before_that_of_the_component() -> None:
    documents = [passage(f"c{n}") for n in range(120)]

    assert len(answer(documents).citations) == 5
    assert [c.chunk_id for c in answer(documents, top_k=2).citations] == ["c0", "c1"]
    assert len(answer(documents, top_k=100).citations) == 100
    assert len(AnswerBuilder(top_k=3).run(question=Question("travel"), documents=documents)["answer"].citations) == 3
    wanting = Question("travel", "travel", top_k=7)
    assert len(AnswerBuilder(top_k=3).run(question=wanting, documents=documents)["answer"].citations) == 7


@pytest.mark.parametrize("top_k", [0, -1, 101])
def test_a_top_k_out_of_bounds_is_refused_with_a_remedy(top_k: int) -> None:
    with pytest.raises(QueryError, match=f"top_k is {top_k}: ask for 1 to 100"):
        answer([passage("c1")], top_k=top_k)
    with pytest.raises(GraphError, match=f"AnswerBuilder has top_k={top_k}: give 1 to 100"):
        AnswerBuilder(top_k=top_k)


def test_max_characters_bounds_the_markdown_but_not_the_citations() -> None:
    text = "Nothing here. " * 300 + "The travel budget is 300. " + "Nothing here. " * 300
    short, long = (answer([passage("c1", content=text)], max_characters=limit) for limit in (1000, 20_000))

    assert len(short.answer) <= 1000 < len(long.answer)
    assert "> …" in short.answer
    assert "**The travel budget is 300**." in short.answer
    assert short.citations[0].text == text
    with pytest.raises(GraphError, match="max_characters=999"):
        AnswerBuilder(max_characters=999)


@pytest.mark.parametrize(
    ("name", "bound", "remedy"),
    [
        ("min_confidence", -0.1, "give 0 or more"),
        ("sure_confidence", -0.1, "give a number from 0 to 1"),
        ("whole_from", 1.1, "give a number from 0 to 1"),
        ("sure_confidence", 41, "give a number from 0 to 1"),
    ],
)
def test_a_confidence_out_of_bounds_is_refused(name: str, bound: float, remedy: str) -> None:
    with pytest.raises(GraphError, match=f"AnswerBuilder has {name}={bound}: {remedy}"):
        AnswerBuilder(**{name: bound})


def test_a_bound_above_one_abstains_always() -> None:
    certain = passage("c1", content="The travel budget is 300.")

    assert answer([certain], min_confidence=1.01).abstained
    assert not answer([certain], min_confidence=0).abstained


@pytest.mark.parametrize(("score", "whole"), [(0.2, False), (0.7, True)])
def test_of_a_passage_far_behind_only_its_sentence_is_quoted(score: float, whole: bool) -> None:
    said = "The travel budget is 300, which all of a team share. Rooms are booked early."
    result = answer([passage("c1", content=said), passage("c2", score=score, content=f"{said} Trains go often.")])

    assert ("Trains go often" in result.answer) is whole
    assert result.answer.count("The travel budget is 300") == 3  # the first line, and both quotes
    assert "Trains go often" in result.citations[1].text


def test_a_sentence_that_says_nothing_by_itself_is_quoted_with_what_stands_around_it() -> None:
    short = passage("c2", score=0.2, content="The limit for hotels is low. The budget is 300.")
    result = answer([passage("c1", content="The travel budget is 300."), short])

    assert "The limit for hotels is low. The budget is 300." in result.answer


def test_nothing_found_is_said_plainly() -> None:
    english, chinese = answer([]), answer([], query="预算是多少")

    assert (english.abstained, english.confidence, english.citations) == (True, 0.0, [])
    assert english.answer == "The documents searched hold no passage that answers this question."
    assert chinese.answer.startswith("在检索的文档中没有找到")


def test_how_rare_the_words_are_counts_and_is_not_shown() -> None:
    told = replace(SPARSE, signs=KeywordSigns(1.0, {"travel": 1.0, "budget": 3.0}))
    known, unknown = (
        answer([passage("c1", content=content, scores={"dense": 0.4})], legs=[DENSE, told], min_confidence=0.0)
        for content in ("the budget", "weather")
    )

    assert evidence_of(known.confidence) > 2 * evidence_of(unknown.confidence)
    assert "rarity" not in as_json(known.legs[1])
    assert known.legs[1].coverage == 1.0


@pytest.mark.parametrize(("min_confidence", "abstained"), [(0.3, False), (0.5, True)])
def test_weak_evidence_is_not_cited(min_confidence: float, abstained: bool) -> None:
    weak = passage("c1", content="weather", scores={"dense": 0.38})
    result = answer([weak], min_confidence=min_confidence)

    assert ('Nearest: "Plan" (`' in result.answer) == abstained

    assert result.abstained == abstained
    assert 0.3 < result.confidence < 0.5
    assert (result.citations == []) == abstained
    assert ("weather" in result.answer) != abstained


@pytest.mark.parametrize(("sure_confidence", "told"), [(0.3, False), (0.5, True)])
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What is the travel budget?", "The documents may not answer this."),
        ("差旅预算是多少？", "未必"),
    ],
)
def test_doubt_is_told_beside_the_passages(sure_confidence: float, told: bool, query: str, words: str) -> None:
    weak = passage("c1", content="weather", scores={"dense": 0.38})
    result = answer([weak], query, sure_confidence=sure_confidence)

    assert result.answer.splitlines()[0].count(words) == told
    assert len(result.citations) == 1


def test_without_the_ranker_the_order_of_the_fusion_counts_and_nothing_is_held_back() -> None:
    result = answer([unranked("b", 0.9), unranked("a", 0.5)], degraded=[FAILED_RANK])

    assert not result.abstained
    assert [(c.chunk_id, c.ranks) for c in result.citations] == [("b", {"fusion": 1}), ("a", {"fusion": 2})]
    assert "rank: no answer in 2 s" in result.answer
    assert "incomplete" not in result.answer


def test_nothing_depends_on_which_stage_was_first() -> None:
    ties = [unranked("b", 0.9), unranked("a", 0.9), unranked("c", 0.9)]
    failures = [FAILED_RANK, FAILED_DENSE, []]
    results = [
        answer(list(documents), degraded=list(degraded), legs=list(legs))
        for documents, degraded, legs in zip(
            itertools.permutations(ties),
            itertools.permutations(failures),
            itertools.cycle([(DENSE, SPARSE), (SPARSE, DENSE)]),
            strict=False,
        )
    ]

    assert all(result == results[0] for result in results)
    assert [c.chunk_id for c in results[0].citations] == ["a", "b", "c"]
    assert [entry.stage for entry in results[0].degraded] == ["dense", "rank"]


def test_ranked_passages_with_equal_scores_stay_in_their_order() -> None:
    assert [c.chunk_id for c in answer([passage("b"), passage("a")]).citations] == ["b", "a"]


def test_a_leg_that_failed_is_reported_and_told() -> None:
    result = answer([passage("c1")], degraded=[FAILED_DENSE, []], legs=[SPARSE, NO_DENSE])

    assert result.legs == [LegReport("dense", False, 0, "FileNotFoundError: model.onnx"), SPARSE.report()]
    assert as_json(result.degraded) == FAILED_DENSE
    assert "model.onnx" in result.answer


def test_no_leg_at_all_is_an_error() -> None:
    with pytest.raises(RetrievalError, match=r"dense: FileNotFoundError: model\.onnx"):
        answer([], degraded=[FAILED_DENSE], legs=[Leg.left_out("sparse", "left out by the caller"), NO_DENSE])


APPLIED = [
    AppliedFilter("type:pdf", "question", "in the PDF"),
    AppliedFilter("after:2024", "caller", ""),
    AppliedFilter("tag:x", "question", "the x", dropped="no document has it"),
]


@pytest.mark.parametrize("documents", [[], [passage("c1")]])
def test_filters_are_told_in_words(documents: list[Document]) -> None:
    english = answer(documents, applied_filters=APPLIED)
    chinese = answer(documents, query="预算是多少", applied_filters=APPLIED[:1])

    assert english.filters == APPLIED
    assert "Only searched: `type:pdf` (in the PDF), `after:2024`." in english.answer
    assert "Not filtered by: `tag:x` (no document has it)." in english.answer
    assert "检索范围：`type:pdf`（in the PDF）。" in chinese.answer
    assert "searched:" not in answer(documents, applied_filters=[]).answer


@pytest.mark.parametrize("documents", [[], [passage("c1")]])
def test_codes_that_no_document_holds_are_told(documents: list[Document]) -> None:
    leg = Leg("sparse", signs=KeywordSigns(rarity={"e-4013": 5.0}, unknown=["e-4013", "5.0"]))
    english, chinese = (answer(documents, query=query, legs=[leg]) for query in ("E-4013 in 5.0?", "E-4013 是什么？"))

    assert "No document holds `E-4013`, `5.0`." in english.answer
    assert "没有文档提到 `E-4013`、`5.0`。" in chinese.answer
    assert (
        "No document"
        not in answer(documents, query="E-4013?", legs=[replace(leg, signs=replace(leg.signs, unknown=()))]).answer
    )


def test_a_name_that_the_passages_may_spell_otherwise_is_not_told() -> None:
    signs = KeywordSigns(rarity={"elizabeth": 5.0}, unknown=["elizabeth", "e-4013"], elsewhere=["elizabeth"])
    leg = Leg("sparse", signs=signs)
    chinese, english = (
        answer(
            [replace(passage("c1"), content="信", meta={**passage("c1").meta, "language": language})],
            query=query,
            legs=[leg],
        )
        for language, query in (("zh", "Elizabeth's E-4013?"), ("en", "Elizabeth's E-4013?"))
    )

    assert "No document holds `E-4013`." in chinese.answer
    assert "`Elizabeth`" in english.answer


@pytest.mark.parametrize(("number", "cut"), [(4, False), (5, True), (9, True)])
def test_of_many_filters_the_first_are_told(number: int, cut: bool) -> None:
    applied = [AppliedFilter(f"tag:{'long' * 9}{n}", "caller", "") for n in range(number)]
    told = answer([passage("c1")], applied_filters=applied).answer

    assert told.count("tag:") == 4
    assert ("…." in told) is cut


def test_a_reply_that_needs_no_passages_is_the_answer() -> None:
    intent = Intent("chat", 0.9, "rules")
    chat = Question("hello", collection="plans", intent=intent, reply="Hello. Ask me.")
    result = AnswerBuilder().run(chat=chat)["answer"]

    about = {"intent": "chat", "intent_confidence": 0.9, "collection": "plans"}
    assert result == Answer("Hello. Ask me.", confidence=0.9, **about)
    long = AnswerBuilder(max_characters=1000).run(chat=replace(chat, reply="x" * 5000))["answer"]
    assert len(long.answer) == 1000


def test_a_graph_in_which_nothing_asks_is_refused() -> None:
    with pytest.raises(GraphError, match="neither a question nor a chat"):
        AnswerBuilder().run(documents=[passage("c1")])


def test_the_intent_and_what_is_preferred_are_told() -> None:
    newest = [Preference("newest", None, "latest")]
    compare = answer(
        [passage("c1")], intent=Intent("compare", 0.7, "llm"), preferences=newest
    )  # fmt: skip

    assert (compare.intent, compare.intent_confidence, compare.preferences) == ("compare", 0.7, newest)


def test_rare_words_choose_the_sentence_that_carries_the_match() -> None:
    told = replace(SPARSE, signs=KeywordSigns(1.0, {"travel": 0.5, "plan": 0.5, "budget": 3.0}))
    text = "Travel plans first. The budget is 300."

    def evidence(*legs: Leg) -> str:
        result = answer([passage("c1", content=text)], query="travel plans budget", legs=legs)
        return result.citations[0].evidence

    assert evidence(DENSE, told) == "The budget is 300."
    assert evidence(DENSE, SPARSE) == "Travel plans first."


def test_translations_mark_the_sentence_of_a_passage_in_the_other_language() -> None:
    documents = [passage("c1", content="会议在周一。差旅预算为三百元。", title=None)]
    translated = [Expansion(["预算"], False, 0.7, "budget", translated=True)]

    by_words = {"mark_model": None}
    assert answer(documents, expansions=translated, **by_words).citations[0].evidence == "差旅预算为三百元。"
    assert answer(documents, **by_words).citations[0].evidence == ""


def test_a_number_that_is_asked_for_is_marked() -> None:
    documents = [passage("c1", content="The budget of trips is small. The budget is 300.", title=None)]

    assert answer(documents, query="How much is the budget?").citations[0].evidence.endswith("300.")
    described = answer(documents, query="Describe the budget", mark_model=None)
    assert described.citations[0].evidence.endswith("small.")


def test_a_sentence_that_says_it_in_other_words_is_marked() -> None:
    text = "The gate opens at nine. Our employees get thirty days of vacation every year. Lunch is at noon."
    documents = [passage("c1", content=text, title=None)]
    question = "How long is the annual leave of a worker?"

    assert "vacation" in answer(documents, query=question).citations[0].evidence
    assert answer(documents, query=question, mark_model=None).citations[0].evidence == ""


def test_words_that_became_a_filter_choose_no_sentence() -> None:
    documents = [passage("c1", content="The budget is 300. Contracts of last year end.", title=None)]
    asked = "the budget in contracts of last year"

    assert answer(documents, query=asked, text="the budget").citations[0].evidence == "The budget is 300."
    assert answer(documents, query=asked).citations[0].evidence == "Contracts of last year end."


def test_passages_that_a_filter_by_pages_cannot_tell_are_told() -> None:
    by_page = [AppliedFilter("page:3", "question", "on page 3")]
    told = "Documents that have no pages were searched, too."

    def said(page: int | None, **more: str) -> str:
        return answer([passage("c1", page=page)], applied_filters=[replace(by_page[0], **more)]).answer

    assert told in said(None)
    assert told not in said(3)
    assert told not in said(None, dropped="nothing in the collection matches")
    assert told not in said(None, text="-page:3")


def test_a_filter_without_a_question_is_told_so() -> None:
    applied = [AppliedFilter("type:pdf", "question", "type:pdf")]

    def told(query: str, searched: str) -> str:
        return answer([], query=query, text=searched, applied_filters=applied).answer

    alone, asked = told("type:pdf", "type:pdf"), told("type:pdf leave", "leave")

    assert "`khub list`" in alone
    assert "`khub list`" not in asked
