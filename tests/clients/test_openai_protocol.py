"""What of OpenAI's protocol goes beyond a chat, as libraries of other people ask for it."""

import json

import pytest

from tests.clients.conftest import QUESTION, TOKEN

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]  # the first of a family installs it

FILE = "ember-300-operator-manual-en.pdf"


@pytest.fixture
def ask(run_client, service):
    """A function: run a script of a family against the hub as a model."""

    def run(family, script):
        return run_client(family, script, url=f"{service}/v1", token=TOKEN, name="khub:default", question=QUESTION)

    return run


def check_structured(structured):
    """JSON by the schema, or a refusal that says what is refused."""
    if "refused" in structured:
        assert "response_format" in structured["refused"]
    else:
        assert isinstance(json.loads(structured["content"])["answer"], str)


def check_bounded(text, notes):
    """A reply ends where it should, or says that it does not."""
    for name, kept in (("stop", "page" not in text), ("max_tokens", len(text.split()) <= 5)):
        assert kept or name in notes


def test_openai(ask):
    said = ask("openai", "protocol_openai.py")
    assert FILE in said["response"]
    assert FILE in said["streamed"]
    assert said["last"] == "response.completed"
    check_structured(said["structured"])
    check_bounded(said["short"], said["notes"])
    assert "check_embedding_ctx_length=False" in said["token_ids"]
    assert FILE in said["any_collection"]


def test_openai_for_javascript(ask):
    said = ask("npm", "protocol_openai.mjs")
    check_structured(said["structured"])
    assert FILE in said["response"]


def test_langchain(ask):
    said = ask("langchain", "protocol_langchain.py")
    check_structured(said["structured"])
    assert "check_embedding_ctx_length=False" in said["token_ids"]["refused"]
    assert FILE in said["response"]


def test_openai_agents(ask):
    said = ask("openai_agents", "protocol_openai_agents.py")
    assert FILE in said["response"]
    assert FILE in said["streamed"]


def test_llama_index(ask):
    said = ask("llama_index", "protocol_llama_index.py")
    assert said["chat"]
    check_bounded(said["chat"], said["notes"])
