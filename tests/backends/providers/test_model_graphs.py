"""The same change in each of the other graphs that ask a model: every task of a model is done by the provider."""

import json

import pytest
from haystack import Pipeline

from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.questions.verify import verify
from tests.backends.providers.conftest import write_files
from tests.backends.providers.model import FACT
from tests.backends.providers.played import served
from tests.backends.providers.provider_server import KEY

pytestmark = pytest.mark.integration

EACH = pytest.mark.parametrize("name", served("models"))
CITED = {"relative_source": "ember.md", "source": "/ember.md", "page": 1, "text": f"{FACT} on one charge."}


def prompts(made):
    return [json.dumps(request.body, ensure_ascii=False) for request in made.provider.asked]


@EACH
def test_it_routes_expands_and_ranks(hub, name):
    made = hub("models", name)
    made.swap("more/query_llm")
    answer = ask("How long does the robot run before it has to charge?", "docs", "more/query_llm")

    assert answer.degraded == []
    assert answer.citations[0].title == "Ember manual"
    assert answer.citations[0].ranks["rerank"] == 1
    for task in ("has been given a message", "is given a question", "Rank passages"):
        assert any(task in prompt for prompt in prompts(made)), task
    assert made.provider.refused == []
    assert KEY.encode() not in made.kept()


@EACH
def test_it_verifies(hub, name):
    made = hub("models", name)
    made.swap("more/verify_llm")
    found = verify(["Between charges a robot works for most of a day."], "docs", "more/verify_llm")

    assert found.degraded == []
    assert [(claim.verdict, claim.by) for claim in found.claims] == [("agrees", "llm")]
    assert KEY.encode() not in made.kept()


@EACH
def test_it_refines_and_describes(hub, name):
    made = hub("models", name)
    made.swap("more/ingest_llm")
    files = write_files(made.folder / "files")
    report = ingest([str(files)], "words", "more/ingest_llm")

    assert len(report.written) == len(list(files.iterdir()))
    for task in ("You prepare a passage", "You catalogue a document"):
        assert any(task in prompt for prompt in prompts(made)), task
    assert made.provider.refused == []
    _, shown = made.khub("list", "--collection", "words", "--json")
    assert "How long it lasts." in made.kept().decode("utf-8", "replace"), shown
    assert KEY.encode() not in made.kept()


@EACH
def test_it_judges(hub, name):
    pytest.importorskip("deepeval")
    made = hub("models", name)
    made.patch.setenv("KHUB_JUDGE_API_KEY", KEY)
    made.swap("more/evaluate_judged")
    file = made.folder / "pipelines" / "more" / "evaluate_judged.yaml"
    places = [{"source": "ember.md", "page": 1, "evidence": FACT, "grade": 2}]
    case = {
        "id": "c1",
        "question": "How long?",
        "language": "en",
        "answerable": True,
        "answer": FACT,
        "relevant": places,
    }
    answer = {"case_id": "c1", "abstained": False, "citations": [CITED], "seconds": 0.1, "degraded": [], "answer": FACT}
    graph = Pipeline.loads(file.read_text(encoding="utf-8"), allowed_modules=["khub.components.*"])
    result = graph.run({"evaluate": {"cases": [case], "answers": [answer]}})["evaluate"]

    judged = {name: values for name, values in result["scores"].items() if name.startswith("deepeval")}
    assert len(judged) == 4
    assert all(value == [1.0] for value in judged.values()), (judged, result["failed"])
    assert KEY.encode() not in made.kept()


def test_what_a_server_refuses_is_done_by_rules_and_told(hub):
    made = hub("models", "DeepSeek")
    made.swap("more/ingest_llm")
    made.patch.setenv(made.variable, "wrong-key-99e1f0ab35")
    files = write_files(made.folder / "files")
    code, told = made.khub("ingest", str(files), "--collection", "words", "--graph", "more/ingest_llm")

    assert code == 0, told
    kept = made.kept()
    assert b"answers 401" in kept
    assert b"wrong-key-99e1f0ab35" not in kept
