"""Drafts by a language model: a server of the tests that writes well, and one that does not."""

import json

import pytest
import yaml

from khub.eval.evaluators.judge import JudgeUnreachableError
from khub.eval.synth.model_drafts import draft_by_model, generator_of
from tests.error_codes import raises_code
from tests.eval.examples.chat_server import Raw, serving
from tests.server.hub_files import changes, copy_pipelines

pytestmark = pytest.mark.integration

HERONS = {"question": "How do herons wade?", "answer": "slowly", "evidence": "Herons wade slowly", "kind": "paraphrase"}
HOTELS = {"question": "酒店每晚最多多少钱？", "answer": "六百元", "evidence": "酒店每晚上限为\n六百元"}


@pytest.fixture
def server():
    with serving() as script:
        yield script


@pytest.fixture
def generator(server, tmp_path, monkeypatch):
    """What a graph with a judge names, asked by its name."""
    file = copy_pipelines(tmp_path) / "more/evaluate_judged.yaml"
    graph = yaml.safe_load(file.read_text(encoding="utf-8"))
    for name in ("deepeval", "ragas"):
        parameters = changes(graph)["components"][name]["init_parameters"]["chat_generator"]["init_parameters"]
        parameters |= {"api_base_url": server.url, "max_retries": 0}
    file.write_text(yaml.safe_dump(graph), encoding="utf-8")
    monkeypatch.setenv("KHUB_JUDGE_API_KEY", "x")
    return generator_of(str(file))


def saying(*questions):
    return json.dumps({"questions": list(questions)}, ensure_ascii=False)


@pytest.fixture
def documents(text_of):
    pages = ["Herons wade slowly in shallow water.\n", "\nTrout swim.\n"]
    return [
        text_of("".join(pages), "birds.pdf", page_starts=[0, len(pages[0])], page_count=2, doc_id="1", source="/b.pdf"),
        text_of("酒店每晚上限为六百元。\n", "预算.md", title="差旅", doc_id="2", source="/y.md"),
    ]


def by_language(request):
    return saying(HOTELS) if "《差旅》" in request["messages"][1]["content"] else saying(HERONS)


def test_a_model_drafts_in_the_language_of_the_passage(server, generator, documents):
    server.turns = [by_language]
    drafts, refused = draft_by_model(documents, generator, 2)
    assert refused == []
    assert [(d.question, d.language, d.kind, d.source, d.page) for d in drafts] == [
        ("How do herons wade?", "en", "paraphrase", "birds.pdf", 1),
        ("酒店每晚最多多少钱？", "zh", "fact", "预算.md", None),
    ]
    assert drafts[0].by.startswith("qwen3:8b at http")
    asked = len(server.requests)
    assert draft_by_model(documents, generator, 2)[0] == drafts
    assert len(server.requests) == asked  # nothing is asked twice


def test_evidence_that_is_no_quote_is_refused(server, generator, documents):
    server.turns = [saying({**HERONS, "evidence": "Herons fly at night"}, HERONS)]
    drafts, refused = draft_by_model(documents[:1], generator, 2)
    assert [draft.evidence for draft in drafts] == ["Herons wade slowly"]
    assert refused == ["birds.pdf: the evidence of 'How do herons wade?' is no quote of the passage"]
    assert len(draft_by_model(documents[:1], generator, 1)[0]) <= 1


def test_a_reply_that_cannot_be_used_costs_its_passage_alone(server, generator, documents):
    server.turns = [lambda request: by_language(request) if "《差旅》" in request["messages"][1]["content"] else "no"]
    drafts, refused = draft_by_model(documents, generator, 2)
    assert [draft.source for draft in drafts] == ["预算.md"]
    assert len(refused) == 1


def test_a_model_that_gives_no_reply_is_an_error(server, generator, documents):
    server.turns = [Raw(500, "{}")]
    with pytest.raises(JudgeUnreachableError, match="gave no reply"):
        draft_by_model(documents, generator, 2)


def test_a_graph_without_a_model_is_refused():
    with raises_code("graph_stage_missing", "'query'"):
        generator_of("query")
