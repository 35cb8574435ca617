"""Candidates for judging come from every way of searching, and abstention hides none of them."""

import json

import pytest
import yaml

from khub.components.errors import EvaluationError
from khub.eval.lab import golden_pool
from khub.eval.lab.golden_pool import WAYS, candidates, fill, never_abstaining, pool
from khub.server.graphs.load import find_graph, load_graph
from khub.server.questions.ask import ask

HERON = "# Heron\n\nThe heron wades in shallow water and eats fish.\n"
STORK = "# Stork\n\nThe stork nests on chimneys.\n"
UNRELATED = "Which turbine drives the tanker?"


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "documents"
    (folder / "birds").mkdir(parents=True)
    (folder / "birds" / "heron.md").write_text(HERON, encoding="utf-8")
    (folder / "stork.md").write_text(STORK, encoding="utf-8")
    return folder


@pytest.mark.unit
@pytest.mark.parametrize("name", sorted({way.graph for way in WAYS}))
def test_the_copy_differs_in_the_least_confidence_alone(name):
    copy = never_abstaining(name)
    graph, own = (yaml.safe_load(file.read_text(encoding="utf-8")) for file in (copy, find_graph(name)))
    assert graph["components"]["answer"]["init_parameters"].pop("min_confidence") == 0
    assert graph == own
    assert load_graph(str(copy)) is load_graph(str(never_abstaining(name)))


@pytest.mark.integration
def test_candidates_are_the_union_of_all_ways(documents):
    fill(documents)
    found = candidates("Where does the heron wade?", documents)
    assert [place["source"] for place in found] == ["birds/heron.md", "stork.md"]
    assert found[0]["found_by"] == {way.name: 1 for way in WAYS}
    assert set(found[1]["found_by"]) == {"dense", "query", "fast"}
    assert found[0] | {"found_by": {}} == {
        "source": "birds/heron.md",
        "page": None,
        "section": "Heron",
        "text": HERON.strip(),
        "found_by": {},
    }


@pytest.mark.integration
def test_abstention_hides_nothing(documents):
    fill(documents)
    assert ask(UNRELATED, WAYS[0].collection).abstained
    assert len(candidates(UNRELATED, documents)) == 2


@pytest.mark.integration
def test_a_set_is_written_a_line_for_each_question(documents, tmp_path, monkeypatch):
    monkeypatch.setattr(golden_pool, "SAMPLES", documents)
    questions, out = tmp_path / "birds.jsonl", tmp_path / "pool.jsonl"
    case = {"id": "b-1", "question": "Where does the stork nest?", "answer": "on chimneys", "source": "stork.md"}
    questions.write_text(json.dumps(case) + "\n", encoding="utf-8")
    pool(str(questions), out)
    (line,) = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert (line["case_id"], line["question"], line["answer"]) == ("b-1", case["question"], case["answer"])
    assert line["candidates"][0]["source"] == "stork.md"


@pytest.mark.integration
def test_a_file_that_cannot_be_read_is_an_error(documents):
    (documents / "torn.pdf").write_bytes(b"%PDF-1.7 torn")
    with pytest.raises(EvaluationError, match=r"torn\.pdf"):
        fill(documents)
