"""The confidence below which the hub abstains, fitted and measured."""

import json
from typing import Any

import numpy as np
import pytest

from components.answers.confidence import Signs
from eval.abstention.logistic import fit, probability
from eval.abstention.questions import Asked, questions_for
from eval.abstention.report import markdown
from eval.abstention.run import Seen, calibrate, figures
from eval.retrieve.passages import Passage, RetrievalSet


@pytest.mark.unit
def test_the_coefficients_are_those_that_the_questions_were_drawn_with() -> None:
    generator = np.random.default_rng(1)
    signs = generator.normal(size=(20_000, 2))
    true = np.array([2.0, -1.0, 0.5])
    answered = (generator.random(len(signs)) < probability(signs, true)).astype(float)
    assert fit(signs, answered, np.ones(len(signs))) == pytest.approx(true, abs=0.1)


@pytest.mark.unit
def test_weights_count_as_repetitions() -> None:
    signs, answered = np.array([[0.0], [1.0], [1.0], [0.0]]), np.array([0.0, 1.0, 0.0, 1.0])
    repeated = [0, 1, 1, 1, 2, 3]
    plain = fit(signs[repeated], answered[repeated], np.ones(len(repeated)))
    assert fit(signs, answered, np.array([1.0, 3.0, 1.0, 1.0])) == pytest.approx(plain, abs=0.01)


@pytest.mark.unit
def test_signs_that_tell_everything_have_finite_coefficients() -> None:
    found = fit(np.array([[0.0], [1.0]]), np.array([0.0, 1.0]), np.ones(2))
    assert np.isfinite(found).all()
    assert probability(np.array([[0.0], [1.0]]), found) == pytest.approx([0, 1], abs=0.1)


def small_set(name: str, passages: list[str], number: int = 10) -> RetrievalSet:
    queries = {f"q{place}": f"{name} question {place}" for place in range(number)}
    gains = {key: {passages[0]: 1.0} for key in queries}
    return RetrievalSet(name, tuple(Passage(key, "", key) for key in passages), 0, queries, gains)


@pytest.mark.unit
def test_questions_of_sets_with_other_passages_have_no_answer() -> None:
    sets = [small_set("a", ["1", "2"]), small_set("a-translated", ["1", "2"]), small_set("b", ["x", "y"])]
    asked = questions_for(sets[0], sets, most=6)
    assert [question.of for question in asked.values()] == ["a"] * 6 + ["b"] * 6
    assert {question.of for question in asked.values() if question.answered} == {"a"}
    assert sum(question.half == "fit" for question in asked.values()) == 6
    halves = {key: question.half for key, question in questions_for(sets[2], sets, most=20).items()}
    assert all(halves[key] == question.half for key, question in asked.items() if key in halves)


def seen(collection: str, cosine: float, answered: bool, half: str) -> Seen:
    return Seen(collection, Asked("?", collection, answered, half), Signs(cosine, 0.5, 0.5, 0.0, 0.5))


@pytest.mark.unit
def test_the_bound_turns_away_a_twentieth_of_the_answered_and_is_measured_on_the_other_half() -> None:
    answered = [seen("a", 0.4 + place / 100, True, half) for place in range(40) for half in ("fit", "test")]
    strange = [seen("a", cosine, False, half) for cosine in (0.1, 0.2, 0.3, 0.7) for half in ("fit", "test")]
    found = figures([*answered, *strange], np.array([10.0, 0.0, 0.0, 0.0, 0.0, -5.0]))["shipped"]
    assert found["coefficients"] == [10.0, 0.0, 0.0, 0.0, 0.0, -5.0]
    assert found["bound"] == pytest.approx(1 / (1 + np.exp(-(10 * 0.42 - 5))), abs=1e-3)
    assert found["collections"] == {"a": {"right": 0.75, "wrong": 0.05}}
    assert found["mean"] == {"right": 0.75, "wrong": 0.05}


@pytest.mark.integration
def test_a_run_asks_each_collection_its_own_questions_and_those_of_others(tmp_path: Any) -> None:
    topics = {
        "robots": "The robot's battery lasts eleven hours and is charged in two.",
        "birds": "Herons wade in shallow water, where they wait for fish.",
    }
    for name, text in topics.items():
        folder = tmp_path / name
        (folder / "qrels").mkdir(parents=True)
        (folder / "corpus.jsonl").write_text(json.dumps({"_id": name, "text": text}), encoding="utf-8")
        words = text.split()[1:5]
        queries = [{"_id": f"{name}{n}", "text": f"{text.split()[0]} {word}?"} for n, word in enumerate(words)]
        (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
        judged = "".join(f"{query['_id']}\t{name}\t1\n" for query in queries)
        (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}", encoding="utf-8")
    results = calibrate([tmp_path / name for name in topics], "query_fast", most=4)
    assert results["questions"] == 16
    assert set(results["fitted"]["collections"]) == set(topics)
    assert results["fitted"]["mean"]["right"] > 0.5
    assert f"| robots | {100 * results['shipped']['collections']['robots']['right']:.1f} |" in markdown(results)
