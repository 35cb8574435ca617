"""What servers of different kinds refuse is told in one line, with what to do."""

import httpx
import openai
import pytest

from khub.components.failure_reason import failure_reason
from khub.components.refused_call import refusal

pytestmark = pytest.mark.unit

URL = "http://me:secret@one.example:8000/v1/chat?key=1"


def answered(status, body=None, headers=None):
    return httpx.Response(status, json=body, headers=headers, request=httpx.Request("POST", URL))


def of(name, **fields):
    """An error of a library that is an extra."""
    error = type(name, (Exception,), {})("x")
    vars(error).update(fields)
    return error


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (
            openai.AuthenticationError("401", response=answered(401), body={"message": "no\nsuch key", "code": 1}),
            (
                "AuthenticationError: http://one.example:8000 answers 401 (no such key): "
                "put a key of this server into the variable that the graph names"
            ),
        ),
        (
            openai.RateLimitError(
                "429", response=answered(429, headers={"Retry-After": "30"}), body={"error": {"message": "slow down"}}
            ),
            (
                "RateLimitError: http://one.example:8000 answers 429 (slow down) and asks to wait 30 s: "
                "ask less often, or raise the account's limit"
            ),
        ),
        (
            httpx.HTTPStatusError("x", request=httpx.Request("POST", URL), response=answered(402, {"detail": "empty"})),
            (
                "HTTPStatusError: http://one.example:8000 answers 402 (empty): "
                "top up the account, or name another server in the graph"
            ),
        ),
        (
            of("OfCohere", headers={"retry-after": "7"}, status_code=429, body={"message": "Please wait"}),
            (
                "OfCohere: the server answers 429 (Please wait) and asks to wait 7 s: "
                "ask less often, or raise the account's limit"
            ),
        ),
        (
            of("OfOllama", error="model 'm' not found", status_code=404),
            (
                "OfOllama: the server answers 404 (model 'm' not found): "
                "name a model and an address in the graph that the server has"
            ),
        ),
        (
            openai.InternalServerError("x", response=answered(503), body=None),
            "InternalServerError: http://one.example:8000 answers 503: try again, or look into the server's log",
        ),
    ],
    ids=lambda one: getattr(type(one), "__name__", ""),
)
def test_a_refusal_is_told_with_its_remedy(error, told):
    assert refusal(error) == told


@pytest.mark.parametrize("error", [ValueError("x"), openai.APIConnectionError(request=httpx.Request("POST", URL))])
def test_what_no_server_has_answered_is_no_refusal(error):
    assert refusal(error) is None


def test_a_long_message_does_not_push_the_remedy_out():
    body = {"error": {"message": "word " * 500}}
    told = refusal(openai.BadRequestError("400", response=answered(400), body=body))
    assert len(told) < 300
    assert told.endswith("parameters in the graph")


def test_a_server_that_says_the_key_does_not_bring_it_into_the_answer(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "a-key-of-mine")
    body = {"message": "a-key-of-mine is no key"}
    assert "a-key-of-mine" not in failure_reason(
        openai.AuthenticationError("a-key-of-mine", response=answered(401), body=body)
    )
