"""What a server says when it refuses a call, and what to do about it, whatever library has raised it."""

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


def refusal(error: BaseException) -> str | None:
    """Return what a server has refused and the remedy, as one line; None for what is no answer of a server.

    :param error: of any library that keeps the HTTP status: OpenAI's, Anthropic's, Cohere's, Ollama's, httpx.
    """
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    if not isinstance(status, int) or status < 400:
        return None
    wait = _asked_wait(getattr(response, "headers", None) or getattr(error, "headers", None))
    said = " ".join(_said(error, response).split())
    said = said if len(said) <= SAID_CHARACTERS else f"{said[: SAID_CHARACTERS - 1]}…"
    remedy = REMEDIES.get(status, FAILED)
    answer = " ".join(filter(None, (f"{_place(error, response)} answers {status}", f"({said})" if said else "", wait)))
    return f"{type(error).__name__}: {answer}: {remedy}"


def _said(error: BaseException, response: Any) -> str:
    body = getattr(error, "body", None) or getattr(error, "error", None)
    if body is None and response is not None:
        try:
            body = response.json()
        except Exception:  # no JSON, or a stream that nobody has read
            body = ""
    while isinstance(body, dict):
        body = next((body[name] for name in SAYING if body.get(name)), "")
    return str(body or "")


def _place(error: BaseException, response: Any) -> str:
    request = getattr(error, "request", None) or getattr(response, "request", None)
    url = getattr(request, "url", None)
    if url is None:
        return "the server"
    return f"{url.scheme}://{url.host}{f':{url.port}' if url.port else ''}"


def _asked_wait(headers: Any) -> str:
    """Say for how long the server asks to wait; its headers may be any mapping."""
    lower = {str(name).lower(): str(value) for name, value in dict(headers or {}).items()}
    seconds = lower.get("retry-after", "")
    return f"and asks to wait {seconds} s" if seconds.isdigit() else ""
