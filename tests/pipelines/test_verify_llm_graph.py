"""The shipped graph in which a language model judges what rules cannot."""

import json
from collections.abc import Callable

import pytest

from khub.server.questions.verify import verify
from tests.eval.examples.chat_server import ChatServer
from tests.pipelines.conftest import Graph, generators

pytestmark = pytest.mark.integration

CLAIMS = [
    "The battery of the Ember robot lasts eleven hours.",
    "The battery of the Ember robot lasts nine hours.",
    "Between charges a robot works for most of a day.",
]


def test_the_model_is_asked_about_what_was_not_found(change: Callable[..., str], model: ChatServer) -> None:
    def how(data: Graph) -> None:
        for generator in generators(data):
            generator["api_base_url"] = model.url

    said = {
        "verdict": "agrees",
        "passage": 1,
        "evidence": "The battery of the Ember robot lasts eleven hours",
        "reason": "So.",
    }
    model.turns = [json.dumps(said)]
    found = verify(CLAIMS, "docs", change("more/verify_llm", how))

    assert [claim.verdict for claim in found.claims] == ["agrees", "differs", "agrees"]
    assert [claim.by for claim in found.claims] == ["rules", "rules", "llm"]
    assert found.degraded == []
    assert len(model.requests) == 1
    assert CLAIMS[2] in model.requests[0]["messages"][-1]["content"]
