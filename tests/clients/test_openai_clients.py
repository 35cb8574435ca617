"""Libraries of other people ask the hub as a model: chat, stream, models, embeddings."""

import pytest

from tests.clients.conftest import QUESTION, TOKEN

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]  # the first of a family installs it

CLIENTS = {
    "openai": "model_openai.py",
    "npm": "model_openai.mjs",
    "langchain": "model_langchain.py",
    "llama_index": "model_llama_index.py",
    "openai_agents": "model_openai_agents.py",
}


@pytest.mark.parametrize("family", CLIENTS)
def test_a_library_asks_the_hub_as_a_model(run_client, service, family):
    said = run_client(family, CLIENTS[family], url=f"{service}/v1", token=TOKEN, name="khub:default", question=QUESTION)
    for text in (said["chat"], said["stream"]):
        assert "ember-300-operator-manual-en.pdf" in text
        assert "page 4" in text
    if "vectors" in said:
        first, second = said["vectors"]
        assert first == second > 0
    if "models" in said:
        assert {"khub", "khub:default", "khub:birds"} <= set(said["models"])
        assert 4 in said["cited"]
