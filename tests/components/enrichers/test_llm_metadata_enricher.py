import json
from typing import Any

import pytest
from haystack import Document

from khub.components.enrichers.llm_metadata_enricher import LLMMetadataEnricher
from khub.components.enrichers.metadata_enricher import MetadataEnricher
from khub.components.errors import GraphError
from khub.components.home import hub_home

pytestmark = pytest.mark.integration

TEXTS = ("The pump moves water from the tank to the boiler.", "The pump was bought on 5 March 2026 for the new boiler.")
REPLY = {
    "title": "Pumps of the plant",
    "summary": "What the pump\ndoes.",
    "tags": ["pump", " pump", "boiler "],
    "language": "en",
    "dates": ["2026-03-05"],
}
KEYS = ("title", "summary", "tags", "dates", "document_language")
LIMITS: dict[str, Any] = {"backoff_s": 0.0, "timeout_s": 5.0}


def enrich(server, chunks: list[Document], **parameters: Any) -> list[Document]:
    return LLMMetadataEnricher(server.generator(), **{**LIMITS, **parameters}).run(chunks)["documents"]


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "<think>so</think>{}"])
def test_one_call_for_a_document_fills_what_is_missing_on_all_its_chunks(around: str, server, make_chunks) -> None:
    server.say = lambda prompt: around.replace("{}", json.dumps(REPLY))
    chunks = make_chunks(*TEXTS, tags=["mine"])
    for chunk in enrich(server, chunks):
        assert [chunk.meta[key] for key in KEYS] == [
            "Pumps of the plant", "What the pump does.", ["mine"], ["2026-03-05"], "en",
        ]  # fmt: skip
        assert "degraded" not in chunk.meta
    assert len(server.requests) == 1
    assert all(text in server.prompts()[0] for text in TEXTS)


def test_the_prompt_is_in_the_language_of_the_document(server, make_chunks) -> None:
    server.say = lambda prompt: json.dumps(REPLY)
    enrich(server, [*make_chunks(*TEXTS), *make_chunks("水泵把水从水箱送到锅炉。", doc_id="zh")])
    assert sorted("编目" in prompt for prompt in server.prompts()) == [False, True]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no JSON at all",
        "[1]",
        json.dumps({**REPLY, "tags": "pump"}),
        json.dumps({**REPLY, "summary": ""}),
        json.dumps({**REPLY, "title": None}),
        json.dumps({key: value for key, value in REPLY.items() if key != "dates"}),
    ],
)
def test_a_reply_that_is_not_what_was_asked_for(reply: str, server, make_chunks) -> None:
    server.say = lambda prompt: reply
    chunks = enrich(server, make_chunks(*TEXTS), attempts=2)
    rules = MetadataEnricher().run(make_chunks(*TEXTS))["documents"]
    for chunk, by_rules in zip(chunks, rules, strict=True):
        assert chunk.meta["degraded"][0]["stage"] == "metadata"
        assert {key: chunk.meta.get(key) for key in KEYS} == {key: by_rules.meta.get(key) for key in KEYS}
    assert len(server.requests) == 2


def test_a_second_run_asks_for_what_degraded_only(server, make_chunks, turns) -> None:
    server.say = lambda prompt: turns.raw(400) if "tank" in prompt else json.dumps(REPLY)
    once = enrich(server, [*make_chunks(*TEXTS), *make_chunks("Other things happen here.", doc_id="other")])
    assert ["degraded" in chunk.meta for chunk in once] == [True, True, False]
    server.say = lambda prompt: json.dumps(REPLY)
    asked = len(server.requests)
    twice = enrich(server, once)
    assert len(server.requests) == asked + 1
    assert all(chunk.meta["summary"] == "What the pump does." and "degraded" not in chunk.meta for chunk in twice)


def test_how_much_the_model_reads(server, make_chunks) -> None:
    server.say = lambda prompt: json.dumps(REPLY)
    enrich(server, make_chunks("The beginning. " * 10 + "The end.", section="Heading"), max_characters=50)
    enrich(server, make_chunks("The beginning. " * 10 + "The end.", section="Heading"))
    assert ["The end." in prompt for prompt in server.prompts()] == [False, True]
    assert all("Heading" in prompt for prompt in server.prompts())
    with pytest.raises(GraphError, match="max_characters=0"):
        LLMMetadataEnricher(server.generator(), max_characters=0)


def test_an_own_prompt_knows_only_the_document(server, make_chunks) -> None:
    file = hub_home() / "mine.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("Catalogue {{ text }}", encoding="utf-8")
    with pytest.raises(GraphError, match="only variable is 'document'"):
        enrich(server, make_chunks("Water."), prompt_file="mine.md")
