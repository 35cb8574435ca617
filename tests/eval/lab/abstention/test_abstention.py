"""The confidence below which the hub abstains, fitted and measured."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from khub.components.answers.confidence import Signs
from khub.eval.lab.abstention.beir_folder import write_beir
from khub.eval.lab.abstention.faq_sets import headed_passages, write_faq_sets
from khub.eval.lab.abstention.logistic import fit, probability
from khub.eval.lab.abstention.people_sets import write_sets
from khub.eval.lab.abstention.questions import Asked, questions_for
from khub.eval.lab.abstention.report import markdown
from khub.eval.lab.abstention.run import Seen, calibrate, figures
from khub.eval.lab.models.corpus import Corpus, Pair
from khub.eval.lab.models.corpus import Passage as NewsPassage
from khub.eval.lab.models.people_questions import Question, passage_id
from khub.eval.retrieve.passages import Passage, RetrievalSet, read_retrieval_set


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


COSINE_ALONE = [10.0, *(0.0 for _ in Signs._fields[1:]), -5.0]


def seen(collection: str, cosine: float, answered: bool, half: str) -> Seen:
    return Seen(collection, Asked("?", collection, answered, half), Signs(cosine, 0.5, 0.5, 0.0, 0.1, 0.5, 0.4))


def both_halves() -> tuple[list[Seen], list[Seen]]:
    halves = []
    for half in ("fit", "test"):
        answered = [seen("a", 0.4 + place / 100, True, half) for place in range(40)]
        halves.append([*answered, *(seen("a", cosine, False, half) for cosine in (0.1, 0.2, 0.3, 0.7))])
    return halves[0], halves[1]


@pytest.mark.unit
def test_the_bound_turns_away_a_twentieth_of_the_answered_and_is_measured_on_the_others() -> None:
    found = figures(*both_halves(), np.array(COSINE_ALONE), 0.02)["shipped"]
    assert found["coefficients"] == COSINE_ALONE
    assert found["bound"] == pytest.approx(1 / (1 + np.exp(-(10 * 0.42 - 5))), abs=1e-3)
    assert found["collections"]["a"] == pytest.approx({"right": 0.75, "wrong": 0.05, "auc": 0.75 + 9.5 / 160}, abs=1e-6)
    assert found["mean"] == found["collections"]["a"]


@pytest.mark.unit
def test_a_certain_bound_allows_for_collections_that_differ() -> None:
    def bounds(shares: list[int]) -> tuple[float, float]:
        first = [
            seen(f"set {name}", 0.2 if place < low else 0.6 + place / 1000, True, "fit")
            for name, low in enumerate(shares)
            for place in range(100)
        ]
        first += [seen(f"set {name}", 0.1, False, "fit") for name in range(len(shares))]
        found = figures(first, first, np.array(COSINE_ALONE), 0.02)
        return found["shipped"]["bound"], found["certain"]["bound"]

    alike, certain_of_alike = bounds([4] * 10)
    differing, certain_of_differing = bounds([0] * 8 + [20, 20])
    assert alike > 0.7
    assert certain_of_alike == pytest.approx(alike, abs=0.01)
    assert differing == pytest.approx(alike, abs=0.01)
    assert certain_of_differing < 0.1  # at any bound above, two collections of ten have a fifth turned away


@pytest.mark.unit
@pytest.mark.parametrize(("bound", "right", "wrong"), [(0.05, 0.5, 0.0), (0.5, 0.75, 0.25)])
def test_the_default_is_measured_at_the_bound_of_the_graph(bound: float, right: float, wrong: float) -> None:
    found = figures(*both_halves(), np.array(COSINE_ALONE), bound)["default"]
    assert found["bound"] == bound
    assert (found["mean"]["right"], found["mean"]["wrong"]) == (right, wrong)


@pytest.mark.unit
def test_written_questions_become_sets_of_two_news_collections_and_the_documentation(tmp_path: Path) -> None:
    news = [NewsPassage([f"第{number}条新闻。", "结束。"], number) for number in range(12)]
    window = [Pair("A component is a function.", "组件是函数。", "docs")] * 3
    texts = ["".join(passage.pieces) for passage in news] + [" ".join(pair.zh for pair in window)]
    questions = [Question(passage_id(text), f"问{number}", f"Q{number}") for number, text in enumerate(texts)]
    folders = write_sets(tmp_path, Corpus([], [window], [], news), questions)
    sets = {folder.name: read_retrieval_set(folder, with_title=False) for folder in folders}
    assert set(sets) == {
        *(f"people-news-{half}_{asked}-zh" for half in (1, 2) for asked in ("zh", "en")),
        *(f"people-docs_{asked}-{held}" for asked in ("zh", "en") for held in ("zh", "en")),
    }
    first, second = (sets[f"people-news-{half}_zh-zh"] for half in (1, 2))
    assert len(first.queries) + len(second.queries) == 12
    assert not {one.text for one in first.passages} & {one.text for one in second.passages}
    assert list(sets["people-docs_zh-en"].queries.values()) == ["问12"]
    assert sets["people-docs_zh-en"].passages[0].text.startswith("A component")
    asked = questions_for(first, list(sets.values()), most=100).values()
    assert {question.of for question in asked if not question.answered} == set(sets) - {
        "people-news-1_zh-zh", "people-news-1_en-zh"
    }  # fmt: skip
    texts_of = {passage.id: passage.text for passage in first.passages}
    for key, text in first.queries.items():
        (answer,) = first.gains[key]
        assert texts_of[answer] == texts[int(text.removeprefix("问"))]


@pytest.mark.unit
def test_a_heading_that_is_a_question_is_answered_by_the_text_below_it(tmp_path: Path) -> None:
    def pair(en: str, zh: str = "文字。") -> Pair:
        return Pair(en, zh, "python/python-docs-zh-cn")

    prose = "Because it makes the text shorter, and readers see the groups at once, as the compiler does."
    headings = [
        pair("Why does it use indentation for groups?", "为什么用缩进分组？"),
        pair("How can a heading without text be answered?", "没有正文的标题怎么回答？"),
    ]
    pairs = [pair("Design"), headings[0], pair(prose), pair("x" * 700), pair("More"), headings[1], pair("Short")]
    found = headed_passages(pairs)
    assert [[one.en[:6] for one in passage] for passage in found.passages] == [
        ["Design"], ["Becaus", "xxxxxx"], ["More"], ["Short"]
    ]  # fmt: skip
    assert found.questions == [(headings[0], 1)]
    folders = {folder.name: read_retrieval_set(folder, False) for folder in write_faq_sets(tmp_path, pairs)}
    assert set(folders) == {f"faq-python_{asked}-{held}" for asked in ("zh", "en") for held in ("zh", "en")}
    crossed = folders["faq-python_zh-en"]
    ((key, text),) = crossed.queries.items()
    (answer,) = crossed.gains[key]
    assert text == "为什么用缩进分组？"
    assert {passage.id: passage.text for passage in crossed.passages}[answer].startswith(prose)
    assert len(crossed.passages) == 4


@pytest.mark.integration
def test_sets_to_fit_on_are_not_measured_on_and_decide_the_coefficients(tmp_path: Path) -> None:
    topics = {"robots": "The robot's battery lasts eleven hours.", "birds": "Herons wade in shallow water."}
    folders = [write_beir(tmp_path / name, name, [text], [text]) for name, text in topics.items()]
    asked = [f"Why is it {word}?" for word in ("so", "late", "here", "wet")]
    held = [write_beir(tmp_path / f"other-{name}", f"o-{name}", asked, [text] * 4) for name, text in topics.items()]
    results = calibrate(folders, "query", 4, held, 2)
    assert results["fit_on"] == ["other-robots", "other-birds"]
    assert set(results["default"]["collections"]) == set(topics)
    assert (results["questions"], results["questions_to_fit"]) == (4, 8)
    assert "on 8 questions for other collections alone: other-robots, other-birds." in markdown(results)


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
    results = calibrate([tmp_path / name for name in topics], "query", most=4)
    assert results["questions"] == 16
    assert set(results["fitted"]["collections"]) == set(topics)
    assert results["fitted"]["mean"]["right"] > 0.5
    figures_of_robots = (100 * results["default"]["collections"]["robots"][what] for what in ("auc", "right", "wrong"))
    assert f"| robots | {' | '.join(f'{figure:.1f}' for figure in figures_of_robots)} |" in markdown(results)
    assert results["default"]["bound"] == pytest.approx(0.01, abs=0.001)  # 0.24, before it is calibrated
