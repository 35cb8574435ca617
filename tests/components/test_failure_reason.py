import httpx
import pytest
from haystack.utils import Secret
from openai import APIConnectionError

from khub.components.errors import QueryError
from khub.components.failure_reason import failure_reason

pytestmark = pytest.mark.unit


def test_a_missing_key_is_named_with_what_to_do(monkeypatch):
    monkeypatch.delenv("A_KEY", raising=False)
    monkeypatch.delenv("B_KEY", raising=False)
    with pytest.raises(ValueError, match="A_KEY") as error:
        Secret.from_env_var(["A_KEY", "B_KEY"]).resolve_value()
    assert failure_reason(error.value).startswith("A_KEY or B_KEY is not set: ")


def test_a_server_that_does_not_answer_is_named_without_what_was_sent():
    request = httpx.Request("POST", "http://me:secret@localhost:11434/v1/chat?key=1")
    said = failure_reason(APIConnectionError(request=request))
    assert said.startswith("APIConnectionError: ")
    assert "http://localhost:11434: " in said
    assert "secret" not in said
    assert "key=1" not in said
    assert "api_base_url" in said


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (QueryError("the query is empty", "ask with a word"), "the query is empty: ask with a word"),
        (OSError("no\nluck"), "OSError: no luck"),
        (KeyError(), "KeyError:"),
    ],
)
def test_others_are_told_by_class_and_message(error, reason):
    assert failure_reason(error) == reason


def test_a_key_that_a_server_sends_back_is_not_told(monkeypatch):
    monkeypatch.setenv("MY_LLM_KEY", "open-sesame-now")
    assert failure_reason(ValueError("no such key: open-sesame-now")) == "ValueError: no such key: ***"


def test_the_headers_of_an_answer_are_not_told():
    class ApiError(Exception):
        status_code, body = 429, {"message": "slow down"}

    reason = failure_reason(ApiError("headers: {'x': 'y'}, status_code: 429, body: {}"))
    assert reason.startswith("ApiError: the server answers 429 (slow down): ")
