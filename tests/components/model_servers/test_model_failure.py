import datetime
import email.utils
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from khub.components.errors import RetrievalError
from khub.components.model_servers.model_failure import (
    HANGING_WEIGHT,
    ModelFailure,
    NoTimeError,
    UnusableReplyError,
)
from khub.components.refused_call import asked_wait

pytestmark = pytest.mark.unit


def of_status(status: int, **headers: str) -> ModelFailure:
    request = httpx.Request("POST", "http://x")
    response = httpx.Response(status, headers={k.replace("_", "-"): v for k, v in headers.items()}, request=request)
    return ModelFailure.of(httpx.HTTPStatusError("no", request=request, response=response))


PASSES, OF_ONE_REQUEST, OF_EVERY_CALL = (True, False), (False, False), (False, True)


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [((408, 429, 500, 503), PASSES), ((400, 413, 422), OF_ONE_REQUEST), ((401, 403, 404), OF_EVERY_CALL)],
)
def test_a_status_says_whether_to_try_again_or_to_end_the_run(statuses: tuple[int], expected: tuple[bool]) -> None:
    for failure in (of_status(status, retry_after="7") for status in statuses):
        assert (failure.retry, failure.fatal) == expected
        assert failure.fatal or (failure.wait_s, failure.weight) == ((7.0, 1) if failure.retry else (None, 0))


def test_errors_without_a_status() -> None:
    assert ModelFailure.of(ConnectionError("reset by peer")).weight == 1
    assert ModelFailure.of(TimeoutError("too late")).weight == HANGING_WEIGHT
    assert ModelFailure.of(UnusableReplyError("the reply\nis empty")).reason == "the reply is empty"
    assert ModelFailure.of(UnusableReplyError("x")).retry
    assert not ModelFailure.of(NoTimeError("over")).retry


def test_an_error_of_the_hubs_own_is_neither_tried_again_nor_held_against_the_server() -> None:
    failure = ModelFailure.of(RetrievalError("what it answers is not of the protocol", "set protocol"))
    assert (failure.retry, failure.fatal, failure.weight) == (False, False, 0)


class _PlainError(Exception):
    """An error with attributes, as clients have them."""

    def __init__(self, **held: Any) -> None:
        super().__init__("no")
        vars(self).update(held)


def _wrapped(error: Exception) -> Exception:
    outer = RuntimeError("the component failed")
    outer.__cause__ = error
    return outer


ANSWER = SimpleNamespace(status_code=429, headers={"retry-after": "7"})


@pytest.mark.parametrize(
    "error",
    [
        _PlainError(status_code=429, headers={"retry-after": "7"}, body={"message": "slow down"}),  # Cohere
        _PlainError(status_code=429, response=ANSWER),  # OpenAI, Anthropic
        _PlainError(response=ANSWER),  # requests, httpx
        _PlainError(raw_response=ANSWER),  # Mistral
        _PlainError(http_status=429, headers={"Retry-After": "7"}),
        _PlainError(status=429, headers={"Retry-After": "7"}),  # aiohttp
        _PlainError(code=429, headers={"Retry-After": "7"}),  # Google, urllib
        _wrapped(_PlainError(status_code=429, response=ANSWER)),
    ],
)
def test_clients_put_status_and_headers_into_different_places(error: Exception) -> None:
    failure = ModelFailure.of(error)
    assert (failure.status, failure.retry, failure.wait_s, failure.weight) == (429, True, 7, 1)


def test_a_status_alone_and_one_that_is_none() -> None:
    assert ModelFailure.of(_PlainError(status_code=503)).retry  # Ollama
    assert ModelFailure.of(_PlainError(status_code=-1)).status is None  # Ollama, without an answer
    assert ModelFailure.of(_PlainError(code="context_length_exceeded", status_code=400)).status == 400


def test_no_credit_is_not_waited_for() -> None:
    failure = ModelFailure.of(_PlainError(status_code=429, body={"code": "insufficient_quota"}))
    assert (failure.retry, failure.fatal) == (False, True)


def test_a_timeout_inside_of_another_error_hangs() -> None:
    assert ModelFailure.of(_wrapped(httpx.ReadTimeout("late"))).hangs


def test_what_the_server_asks_for() -> None:
    def wait(headers: Any) -> float | None:
        return asked_wait(_PlainError(headers=headers))

    assert wait({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert wait({"retry-after": "1.5"}) == 1.5
    later = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=100)
    assert 90 < (wait({"retry-after": email.utils.format_datetime(later, usegmt=True)}) or 0) <= 100
    assert wait({"retry-after": "soon"}) is None
    assert wait({}) is None
    assert wait(None) is None
