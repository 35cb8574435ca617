"""The retrieval metrics, by hand and against trec_eval."""

import hashlib
from math import log2

import pytest
import pytrec_eval
from haystack.core.serialization import component_to_dict
from hypothesis import given, settings
from hypothesis import strategies as st

from khub.eval.evaluators.retrieval_evaluator import RetrievalEvaluator
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

TREC = {
    "success_1": "hit@1",
    "success_5": "hit@5",
    "success_10": "hit@10",
    "recall_10": "recall@10",
    "recip_rank": "mrr@10",
    "ndcg_cut_10": "ndcg@10",
}
OTHER = -1


def evidence(number):
    """Return a quote that shares no five letters with another one."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def as_case(grades):
    relevant = [{"source": "a.md", "page": 1, "evidence": evidence(n), "grade": g} for n, g in enumerate(grades)]
    return {"id": "q", "answerable": True, "relevant": relevant}


def as_answer(*shown):
    """Make an answer whose citations show these places each."""
    citations = [{"relative_source": "a.md", "page": 1, "text": " ".join(map(evidence, places))} for places in shown]
    return {"case_id": "q", "abstained": not citations, "citations": citations}


def measured(case, answer, **settings):
    result = RetrievalEvaluator(**settings).run(cases=[case], answers=[answer])
    assert result["failed"] == []
    return {metric: values[0] for metric, values in result["scores"].items()}


def trec_eval(grades, ranking):
    """Measure with trec_eval; a place shown a second time is an irrelevant document there."""
    names = [f"d{n}" if n not in ranking[:rank] else f"again{rank}" for rank, n in enumerate(ranking)]
    names = [f"other{rank}" if n == OTHER else name for rank, (n, name) in enumerate(zip(ranking, names, strict=True))]
    run = {"q": {name: 1000.0 - rank for rank, name in enumerate(names)}}
    cut = {"q": dict(list(run["q"].items())[:10])}
    qrels = {"q": {f"d{n}": grade for n, grade in enumerate(grades)}}
    evaluate = pytrec_eval.RelevanceEvaluator(qrels, {"success.1,5,10", "recall.10", "ndcg_cut.10"}).evaluate(run)["q"]
    return evaluate | pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(cut)["q"]


@st.composite
def runs(draw):
    grades = draw(st.lists(st.sampled_from([1, 2]), min_size=1, max_size=14))
    number = st.one_of(st.just(OTHER), st.integers(0, len(grades) - 1))
    return grades, draw(st.lists(number, min_size=1, max_size=16))


@settings(max_examples=200, deadline=None)
@given(runs())
def test_equal_to_trec_eval(run):
    grades, ranking = run
    ours = measured(as_case(grades), as_answer(*([n] for n in ranking)))
    theirs = trec_eval(grades, ranking)
    assert {metric: ours[metric] for metric in TREC.values()} == pytest.approx(
        {metric: theirs[name] for name, metric in TREC.items()}, abs=1e-9, rel=0
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.sampled_from([1, 2]), min_size=1, max_size=3), min_size=1, max_size=10))
def test_a_perfect_list_has_one_however_the_documents_are_cut(chunks):
    """Each inner list is a chunk with its places' grades."""
    chunks = sorted(chunks, key=max, reverse=True)
    numbers = iter(range(40))
    shown = [[next(numbers) for _ in chunk] for chunk in chunks]
    ours = measured(as_case([grade for chunk in chunks for grade in chunk]), as_answer(*shown))
    assert ours == pytest.approx(dict.fromkeys(ours, 1.0), abs=1e-12)


def test_one_citation_of_several_places_by_hand():
    """Rank 2 shows two of four places, of grades 1 and 2: they count as one of grade 2 for nDCG, as two for recall."""
    ours = measured(as_case([1, 2, 1, 1]), as_answer([OTHER], [0, 1], [2]))
    ideal = 2 / log2(2) + 1 / log2(3) + 1 / log2(4)
    assert ours["ndcg@10"] == pytest.approx((2 / log2(3) + 1 / log2(4)) / ideal)
    assert ours["recall@10"] == 3 / 4
    assert ours["mrr@10"] == 1 / 2


def test_what_is_shown_below_the_depth_does_not_count():
    answer = as_answer(*[[OTHER]] * 3, [0])
    ours = measured(as_case([2]), answer, k=[3, 4], depth=3)
    assert ours == {"hit@3": 0, "hit@4": 1, "recall@3": 0, "mrr@3": 0, "ndcg@3": 0}
    ours = measured(as_case([2]), answer, k=[3], depth=4)
    assert ours == pytest.approx({"hit@3": 0, "recall@4": 1, "mrr@4": 1 / 4, "ndcg@4": 1 / log2(5)})


def test_an_answer_that_abstains_shows_nothing():
    nothing = measured(as_case([2]), as_answer())
    assert set(nothing.values()) == {0}
    assert measured(as_case([2]), {**as_answer([0]), "abstained": True}) == nothing


def test_unanswerable_cases_have_no_figures():
    result = RetrievalEvaluator().run(
        cases=[{"id": "q", "answerable": False, "relevant": []}], answers=[as_answer([OTHER])]
    )
    assert set(map(tuple, result["scores"].values())) == {(None,)}


def test_an_answerable_case_without_a_place_is_refused():
    case = {"id": "q", "answerable": True, "relevant": []}
    with raises_code("evaluation_failed", "'q'"):
        RetrievalEvaluator().run(cases=[case], answers=[as_answer([0])])


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"k": [0]}, "k=[0]"), ({"k": [5, 5]}, "k=[5, 5]"), ({"depth": 0}, "depth=0")],
)
def test_wrong_cut_offs_are_refused(settings, said):
    with raises_code("graph_parameter_invalid", f"RetrievalEvaluator has {said}"):
        RetrievalEvaluator(**settings)


@pytest.mark.parametrize("settings", [{"k": [2], "depth": 3}, {"k": None, "depth": 10}])
def test_settings_are_written_back_as_they_came(settings):
    data = component_to_dict(RetrievalEvaluator(**settings), "retrieval")
    assert data["init_parameters"] == settings
