"""What goes wrong between the command and a service, as errors of the hub."""

import contextlib
from collections.abc import Iterator
from typing import Any

import httpx

from khub.components.errors import KhubError, OptionError
from khub.components.text.shown_address import shown_address

PROBLEM = "application/problem+json"
COMMANDS = {  # the longer ones first
    "GET /documents/{id}/markdown": "khub show DOC",
    "GET /collections": "khub list",
    "GET /documents": "khub list --collection NAME",
    "GET /traces": "khub trace list",
}
"""What a service names to programs, as the command has it."""
CHECK = "check the address, and whether khub serve runs there"


class ServiceError(KhubError):
    """What a service answers in place of what was asked for.

    :param message: what is wrong.
    :param remedy: what to do about it.
    :param status: HTTP's.
    :param code: the service's own.
    """

    code = "service_failed"

    def __init__(self, message: str, remedy: str, status: int, code: str = "") -> None:
        super().__init__(message, remedy, code=code)
        self.status = status


class UnreachedError(KhubError):
    """A service that could not be reached, or from which nothing more came."""

    code = "service_unreachable"


@contextlib.contextmanager
def reached(address: str) -> Iterator[None]:
    """Turn what HTTP fails with into errors of the hub.

    :param address: of the service.
    :raises UnreachedError: in place of the other error.
    """
    try:
        yield
    except httpx.ConnectTimeout as error:
        raise UnreachedError(f"{address} does not answer", CHECK) from error
    except httpx.TimeoutException as error:
        raise UnreachedError(f"{address} did not answer in time", "try again, or look at its log") from error
    except httpx.ConnectError as error:
        raise UnreachedError(f"{address} cannot be reached ({error})", _remedy(str(error))) from error
    except httpx.TransportError as error:
        raise UnreachedError(f"the connection to {address} broke ({error})", CHECK) from error
    except httpx.InvalidURL as error:
        raise OptionError(f"what was typed does not fit into an address ({error})", "type less") from error
    except UnicodeEncodeError as error:
        raise OptionError("what was typed is not valid UTF-8", "type it again") from error


def refusal(reply: httpx.Response, address: str, token: str) -> KhubError:
    """Return what to say of an answer that is not the one that was asked for.

    :param reply: with a status of 300 or more, read to its end.
    :param token: name of the variable whose token was sent; empty for none.
    """
    status = reply.status_code
    if status < 400:
        target = shown_address(reply.headers.get("location", "nowhere"))
        return ServiceError(f"{address} sends on to {target}", "give that to --server, if it is your service", status)
    told = _problem(reply)
    if told is None:
        if status >= 500:
            return ServiceError(f"{address} answers {status} {reply.reason_phrase}", CHECK, status)
        return no_hub(address, f"{status} {reply.reason_phrase}")
    errors = [f"{one.get('field')}: {one.get('error')}" for one in told.get("errors") or [] if isinstance(one, dict)]
    message = ": ".join([str(told["detail"]), "; ".join(errors)] if errors else [str(told["detail"])])
    remedy = _in_words_of_the_command(str(told.get("remedy") or "")) or _remedy_of(reply, token)
    if status == 401 and token:
        message = f"{address} does not know the token in {token}"
    return ServiceError(message, remedy, status, str(told.get("code") or ""))


def no_hub(address: str, said: str) -> KhubError:
    """Return what to say of a server that speaks HTTP, and is no hub.

    :param said: what it has answered.
    """
    return KhubError(f"{address} is no hub's service (it answered: {said})", CHECK, code="service_unreachable")


def _problem(reply: httpx.Response) -> dict[str, Any] | None:
    if reply.headers.get("content-type", "").partition(";")[0].strip() != PROBLEM:
        return None
    try:
        told = reply.json()
    except ValueError:
        return None
    return told if isinstance(told, dict) and isinstance(told.get("detail"), str) else None


def _in_words_of_the_command(remedy: str) -> str:
    for route, command in COMMANDS.items():
        remedy = remedy.replace(route, command)
    return remedy


def _remedy_of(reply: httpx.Response, token: str) -> str:
    if reply.status_code == 401:
        return "set it to one that is known there" if token else "set KHUB_TOKEN, or KHUB_WRITE_TOKEN to write"
    if reply.status_code == 403:
        return "set KHUB_WRITE_TOKEN to a token that may"
    if reply.status_code == 404:
        return "check the address, and what was named"
    if reply.status_code == 421:
        return f"start the service with --allow-host {reply.url.host}"
    wait = reply.headers.get("retry-after", "")
    return f"try again in {wait} s" if wait.isdecimal() else ""


def _remedy(reason: str) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        return "set SSL_CERT_FILE to the certificate of its authority, if you trust it"
    return "take http:// in place of https://, or the port of TLS" if "SSL" in reason else CHECK
