"""Each diff that names another language model answers questions, and says why it cannot."""

import json
from typing import Any

import pytest

from khub.components.answer import Answer
from khub.components.value import as_json
from khub.server.graphs.token_stream import stream_tokens
from khub.server.questions.ask import ask
from tests.backends.providers.conftest import DIFFS
from tests.backends.providers.model import FACT
from tests.backends.providers.played import PLAYED, provider, served
from tests.backends.providers.provider_server import KEY

pytestmark = pytest.mark.integration

QUESTION = "How long does the battery of the Ember robot last?"
EACH = pytest.mark.parametrize("name", served("models"))
WITH_KEY = [name for name in served("models") if not provider("models", name).keyless]
WITH_NAMES = [name for name in served("models") if provider("models", name).models]


def asked(name: str = "more/ask") -> dict[str, Any]:
    return ask(QUESTION, "docs", name)


@EACH
def test_an_answer_in_words_comes_piece_by_piece(hub, name):
    made = hub("models", name)
    made.swap()
    pieces: list[str] = []
    with stream_tokens(pieces.append):
        streamed = asked()
    whole = asked()

    for answer in (streamed, whole):
        assert (answer.generated, answer.degraded, answer.unsupported) == (True, [], [])
        assert answer.answer.startswith(FACT)
        assert answer.citations[0].title == "Ember manual"
    assert "".join(pieces).startswith(FACT)
    assert len(pieces) > 5
    assert [bool(request.body.get("stream")) for request in made.provider.asked] == [True, False]
    assert made.provider.refused == []
    assert streamed.model == whole.model


@EACH
def test_the_trace_tells_the_tokens_and_nothing_that_is_kept_the_key(hub, name):
    made = hub("models", name)
    made.patch.setenv("KHUB_TRACE", "verbose")
    made.swap()
    asked()
    records = (made.home / "logs" / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    assert any('"usage"' in record for record in records)
    assert KEY.encode() not in made.kept()


@pytest.mark.parametrize("name", WITH_KEY)
def test_a_wrong_key_is_told_with_what_to_do(hub, name):
    made = hub("models", name)
    made.swap()
    made.patch.setenv(made.variable, "wrong-key-99e1f0ab35")
    assert_told(asked(), "answers 401", "put a key of this server into the variable that the graph names")
    assert b"wrong-key-99e1f0ab35" not in made.kept()


@EACH
def test_a_limit_of_calls_is_told_with_what_to_do(hub, name):
    made = hub("models", name)
    made.swap()
    made.provider.fails = 429
    assert_told(asked(), "answers 429", "ask less often, or raise the account's limit")


@EACH
def test_a_server_that_fails_is_told_with_what_to_do(hub, name):
    made = hub("models", name)
    made.swap()
    made.provider.fails = 500
    assert_told(asked(), "answers 500", "try again, or look into the server's log")


@pytest.mark.parametrize("name", WITH_NAMES)
def test_a_model_that_is_not_there_is_told_with_what_to_do(hub, name):
    made = hub("models", name)
    made.swap()
    made.refuse(f"model: {next(model for model in made.provider.models if model in made.diff)}", "model: nothing")
    assert_told(asked(), "answers 40", "")


def test_a_deployment_that_is_not_there_is_told_with_what_to_do(hub):
    made = hub("models", "Azure OpenAI")
    made.swap()
    made.refuse("azure_deployment: my-deployment", "azure_deployment: nothing")
    assert_told(asked(), "deployment for this resource does not exist", "name a model and an address in the graph")


@EACH
def test_a_stream_that_breaks_leaves_the_passages(hub, name):
    made = hub("models", name)
    made.swap()
    made.provider.breaks = True
    with stream_tokens(lambda _: None):
        assert_told(asked(), "", "")


def test_a_model_that_thinks_refuses_a_temperature(hub):
    made = hub("models", "OpenAI")
    made.swap()
    made.refuse("model: gpt-4.1-mini", "model: gpt-5-mini")
    assert_told(asked(), "'temperature' does not support", "change the model's parameters in the graph")
    made.refuse("          generation_kwargs: {temperature: 0}\n", "")
    assert asked().generated


@pytest.mark.parametrize(
    ("name", "parameters", "sent"),
    [
        ("DeepSeek", "extra_body: {thinking: {type: disabled}}", {"thinking": {"type": "disabled"}}),
        ("Zhipu GLM", "extra_body: {thinking: {type: disabled}}", {"thinking": {"type": "disabled"}}),
        ("Ollama, its own protocol", "num_ctx: 16384", {"options": {"temperature": 0, "num_ctx": 16384}}),
    ],
)
def test_parameters_that_the_page_names_reach_the_server(hub, name, parameters, sent):
    made = hub("models", name)
    made.swap()
    made.refuse("generation_kwargs: {temperature: 0}", f"generation_kwargs: {{temperature: 0, {parameters}}}")
    assert asked().generated
    assert sent.items() <= made.provider.asked[0].body.items()


def assert_told(answer: Answer, what: str, remedy: str) -> None:
    (entry,) = answer.degraded
    assert entry.stage == "generate"
    assert what in entry.reason
    assert remedy in entry.reason
    assert "\n" not in entry.reason
    assert FACT in answer.answer
    assert not answer.generated
    json.dumps(as_json(answer))


def test_every_section_is_played():
    assert {page: set(names) for page, names in PLAYED.items()} == {
        page: {name for of, name in DIFFS if of == page} for page in PLAYED
    }
