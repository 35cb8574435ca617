"""All stages in one graph, against a server that misbehaves."""

import itertools
import json
import threading
from typing import Any

import pytest
from haystack import Document, Pipeline

from components.home import hub_home

pytestmark = pytest.mark.integration

GRAPH = """
components:
  clean:
    type: haystack.components.preprocessors.document_cleaner.DocumentCleaner
    init_parameters: {keep_id: true, remove_substrings: ["<br>"]}
  refine:
    type: components.enrichers.chunk_refiner.ChunkRefiner
    init_parameters: &llm
      generator: &model
        type: haystack.components.generators.chat.openai.OpenAIChatGenerator
        init_parameters:
          api_key: {type: env_var, env_vars: [ENRICHMENT_TEST_KEY], strict: true}
          api_base_url: "URL"
          model: scripted
      concurrency: 3
      backoff_s: 0.01
  unique:
    type: components.enrichers.near_duplicates.NearDuplicates
    init_parameters: {}
  metadata:
    type: components.enrichers.llm_metadata_enricher.LLMMetadataEnricher
    init_parameters: *llm
connections:
  - {sender: clean.documents, receiver: refine.documents}
  - {sender: refine.documents, receiver: unique.documents}
  - {sender: unique.documents, receiver: metadata.documents}
"""
METADATA = {"title": "T", "summary": "What it says.", "tags": ["pump"], "language": "en", "dates": []}


def documents(make_chunks) -> list[Document]:
    named = [
        (name, make_chunks(*(f"Pump {name}{n} moves water.<br>" for n in range(4)), doc_id=name)) for name in "abc"
    ]
    return [chunk for _, chunks in named for chunk in chunks]


def enrich(server, make_chunks) -> list[Document]:
    pipeline = Pipeline.loads(GRAPH.replace("URL", server.url), allowed_modules=["components.*"])
    return pipeline.run({"clean": {"documents": documents(make_chunks)}})["metadata"]["documents"]


def good(prompt: str) -> str:
    refining = "Rewrite" in prompt
    return prompt.split("===== ")[-2].split("\n", 1)[1].strip() if refining else json.dumps(METADATA)


def test_half_of_the_calls_fail_and_every_chunk_comes_through(server, make_chunks, turns) -> None:
    numbers, lock = itertools.count(), threading.Lock()
    bad = itertools.cycle([turns.raw(429, headers={"retry-after-ms": "10"}), turns.raw(500), turns.hangup()])

    def say(prompt: str) -> Any:
        with lock:
            return next(bad) if next(numbers) % 2 else good(prompt)

    server.say = say
    first = enrich(server, make_chunks)
    assert [chunk.id for chunk in first] == [chunk.id for chunk in documents(make_chunks)]
    degraded = {(c.meta["doc_id"], e["stage"]) for c in first for e in c.meta.get("degraded", [])}
    failed = sum("degraded" in chunk.meta for chunk in first)
    assert all(
        chunk.meta["summary"] == "What it says."
        for chunk in first
        if (chunk.meta["doc_id"], "metadata") not in degraded
    )
    server.requests.clear()
    server.say = good
    second = enrich(server, make_chunks)
    assert not any("degraded" in chunk.meta for chunk in second)
    assert (len(server.requests) > 0) == (failed > 0)
    server.requests.clear()
    enrich(server, make_chunks)
    assert server.requests == []


@pytest.mark.parametrize("reply", ["", "garbage, and not what was asked for at all", "{}", "null"])
def test_a_server_that_answers_wrongly_leaves_the_rules(reply: str, server, make_chunks) -> None:
    server.say = lambda prompt: reply
    chunks = enrich(server, make_chunks)
    assert len(chunks) == 12
    for chunk in chunks:
        assert {entry["stage"] for entry in chunk.meta["degraded"]} == {"refine", "metadata"}
        assert (chunk.content or "").strip().endswith("moves water.")
        assert chunk.meta["tags"]


def test_nothing_is_written_outside_of_the_hub(server, make_chunks) -> None:
    server.say = good
    enrich(server, make_chunks)
    assert [path.name for path in (hub_home() / "cache").iterdir() if path.suffix == ".sqlite3"] == [
        "enrichment.sqlite3"
    ]
