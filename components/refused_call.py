"""What a server says when it refuses a call, and what to do about it, whatever library has raised it."""

import datetime
import email.utils
from collections.abc import Iterator
from typing import Any

REMEDIES = {
    400: "change the model's parameters in the graph",
    401: "put a key of this server into the variable that the graph names",
    402: "top up the account, or name another server in the graph",
    403: "see that the account may use this model",
    404: "name a model and an address in the graph that the server has",
    413: "hand it less text, or name a model that takes more",
    422: "change the model's parameters in the graph",
    429: "ask less often, or raise the account's limit",
}
FAILED = "try again, or look into the server's log"
SAID_CHARACTERS = 160
SAYING = ("message", "detail", "error", "msg")
"""Fields of a JSON body in which servers say what is wrong, at any depth."""
STATUS_NAMES = ("status_code", "status", "http_status", "code")
MOST_CAUSES = 5


def refusal(error: BaseException) -> str | None:
    """Return what a server has refused and the remedy, as one line; None for what is no answer of a server.

    :param error: of any library that keeps the HTTP status: OpenAI's, Anthropic's, Cohere's, Ollama's, httpx.
    """
    status = status_of(error)
    if status is None:
        return None
    wait_s = asked_wait(error)
    wait = "" if wait_s is None else f"and asks to wait {wait_s:.0f} s"
    said = " ".join(_said(error).split())
    said = said if len(said) <= SAID_CHARACTERS else f"{said[: SAID_CHARACTERS - 1]}…"
    answer = " ".join(filter(None, (f"{_server(error)} answers {status}", f"({said})" if said else "", wait)))
    return f"{type(error).__name__}: {answer}: {REMEDIES.get(status, FAILED)}"


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error, and those that it was raised from: a component may wrap what its client has raised."""
    one: BaseException | None = error
    for _ in range(MOST_CAUSES):
        if one is None:
            return
        yield one
        one = one.__cause__


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status by which a server has refused; None if it did not answer."""
    held = (status for name in STATUS_NAMES for status in _held(error, name))
    return next((int(status) for status in held if isinstance(status, int) and 400 <= status < 600), None)


def body_of(error: BaseException) -> Any:
    """Return what the answer of a server holds, as JSON values or text; "" if nothing is known of it."""
    for name in ("body", "error"):
        if body := next(_held(error, name), None):
            return body
    json = next(_held(error, "json"), None)
    try:
        return json() if json else ""
    except Exception:  # no JSON, or a stream that nobody has read
        return ""


def asked_wait(error: BaseException) -> float | None:
    """Return the seconds to wait that the answer of a server asks for, None if it does not.

    `Retry-After` is seconds or a date (RFC 9110, section 10.2.3); OpenAI adds `retry-after-ms`.
    """
    waits = (_wait({str(name).lower(): str(value) for name, value in dict(h).items()}) for h in _held(error, "headers"))
    return next((wait_s for wait_s in waits if wait_s is not None), None)


def _held(error: BaseException, name: str) -> Iterator[Any]:
    """Yield what goes by a name in an error, its causes or the answers in them: clients differ in where they put it."""
    for one in causes(error):
        for place in (one, getattr(one, "response", None), getattr(one, "raw_response", None)):
            if (value := getattr(place, name, None)) is not None:
                yield value


def _wait(headers: dict[str, str]) -> float | None:
    try:
        if milliseconds := headers.get("retry-after-ms"):
            return max(0.0, float(milliseconds) / 1000)
        value = headers.get("retry-after")
        return max(0.0, float(value)) if value else None
    except ValueError:
        pass
    try:
        date = email.utils.parsedate_to_datetime(str(value))
    except ValueError:
        return None
    return max(0.0, (date - datetime.datetime.now(date.tzinfo or datetime.UTC)).total_seconds())


def _said(error: BaseException) -> str:
    body = body_of(error)
    while isinstance(body, dict):
        body = next((body[name] for name in SAYING if body.get(name)), "")
    return str(body or "")


def _server(error: BaseException) -> str:
    url = next((request.url for request in _held(error, "request") if hasattr(request.url, "scheme")), None)
    return f"{url.scheme}://{url.host}{f':{url.port}' if url.port else ''}" if url else "the server"
