"""What a model reads of an answer, by the questions of the samples."""

import json
import statistics

import pytest

from khub.server.mcp.budget import text_tokens
from tests.server.mcp.conftest import SAMPLES

pytestmark = pytest.mark.integration
LEAN_TOKENS = 1800
GOLDEN = SAMPLES.parent / "golden" / "samples.jsonl"


def tokens_of(result) -> int:
    """Return the tokens of a result's text, of its data, and of whatever stands there beside pictures."""
    blocks = [block for block in result.content if block.type != "image"]
    shown = [block.text if block.type == "text" else block.model_dump_json() for block in blocks]
    return sum(map(text_tokens, (*shown, json.dumps(result.structured_content, ensure_ascii=False))))


def test_a_concise_answer_of_five_passages_takes_little_room(hub, with_client):
    questions = [json.loads(line)["question"] for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    results = []

    async def test(client):
        for question in questions:
            asked = {"query": question, "collection": "default"}
            results.append(await client.call_tool("query_knowledge_hub", asked))

    with_client(test)
    five = [tokens_of(result) for result in results if len(result.structured_content["citations"]) == 5]
    assert len(five) > len(questions) / 2
    assert statistics.median(five) <= LEAN_TOKENS, statistics.median(five)
