"""What a client is told when it cannot have what it asked for: problem details (RFC 9457)."""

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Match

from khub.components.errors import (
    BindingError,
    ClosedError,
    CollectionError,
    FilterError,
    KhubError,
    MetadataError,
    QueryError,
    SourceError,
)
from khub.components.text.hidden_characters import on_one_line
from khub.components.text.shown_address import without_credentials
from khub.server.graphs.places import RETRY_S, TooBusyError
from khub.server.http.routes import all_routes
from khub.server.http.served_graphs import UnknownGraphError
from khub.server.jobs.overtaken_jobs import AtWorkError
from khub.server.library.edits import EditError
from khub.server.library.incoming_files import TooLargeError
from khub.server.reads.hub_reads import NotThereError

MEDIA_TYPE = "application/problem+json"
MISTAKES: dict[int, tuple[type[KhubError], ...]] = {
    403: (ClosedError,),
    404: (UnknownGraphError, NotThereError),
    409: (AtWorkError, BindingError, EditError),
    413: (TooLargeError,),
    422: (QueryError, FilterError, SourceError, MetadataError),
}
"""Status -> errors that tell a client of its own mistakes."""
UNABLE = 503
logger = logging.getLogger(__name__)


def problem(status: int, detail: str, headers: dict[str, str] | None = None, **more: Any) -> JSONResponse:
    """Return the answer that says what is wrong.

    :param status: HTTP's.
    :param detail: one sentence for a person.
    :param more: further members, such as `remedy`; `code` is the name of the status if it is left out.
    """
    about = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    body = {**about, "code": HTTPStatus(status).name.lower(), "detail": detail, **more}
    return JSONResponse(body, status, headers, MEDIA_TYPE)


def status_of(error: KhubError) -> int:
    """Return HTTP's status of an error of the hub's own."""
    if isinstance(error, TooBusyError):
        return error.status
    found = (status for status, kinds in MISTAKES.items() if isinstance(error, kinds))
    return next(found, 422 if isinstance(error, CollectionError) else UNABLE)


def problem_of(error: KhubError) -> JSONResponse:
    """Return the answer that tells a client of an error of the hub's own."""
    status, told = status_of(error), told_of(error)
    more = {"code": told.code, **({"remedy": told.remedy} if told.remedy else {})}
    again = isinstance(error, TooBusyError) or status == UNABLE
    return problem(status, told.message, {"Retry-After": str(RETRY_S)} if again else None, **more)


def told_of(error: KhubError) -> KhubError:
    """Return what a client is told of an error: its own mistakes in full, of others nothing more than the log."""
    if isinstance(error, TooBusyError):
        return error
    status = status_of(error)
    if status == UNABLE:
        logger.error("a request could not be answered: %s", error, exc_info=error)
        return KhubError("the hub cannot answer this now, its log says why", code="unavailable")
    if not isinstance(error, MISTAKES[status]):  # where the hub lies, and its commands, are nothing to a client
        error = CollectionError(error.message.partition(" in ")[0], "see GET /collections", code=error.code)
    message, remedy = (on_one_line(without_credentials(text)) for text in (error.message, error.remedy))
    return KhubError(message, remedy, code=error.code)


def invalid(error: ValidationError | RequestValidationError) -> JSONResponse:
    """Return what is wrong with each field of a request."""
    found = [
        {"field": _sendable(".".join(map(str, one["loc"]))), "error": _sendable(one["msg"])} for one in error.errors()
    ]
    if any(one["type"] == "json_invalid" for one in error.errors()):
        return problem(400, "the body is not JSON", code="json_invalid", errors=found)
    return problem(422, "the request does not fit", code="request_invalid", errors=found)


def tell_problems(app: FastAPI) -> None:
    """Let an application answer every error by problem details."""

    async def of_hub(_: Request, error: Any) -> JSONResponse:
        return problem_of(error)

    async def of_field(_: Request, error: Any) -> JSONResponse:
        return invalid(error)

    async def of_http(request: Request, error: Any) -> JSONResponse:
        status = error.status_code
        detail = str(error.detail) if status < 500 else HTTPStatus(status).phrase
        if (status, detail) == (404, HTTPStatus.NOT_FOUND.phrase):
            return problem(status, "there is no such route", code="route_unknown", remedy="see GET /openapi.json")
        headers = dict(error.headers or {})
        if status == 405:  # the first route of that path names its own methods alone
            headers["Allow"] = ", ".join(sorted(_methods(app, request))) or headers.get("Allow", "")
        return problem(status, detail, headers)

    async def of_crash(_: Request, __: Exception) -> JSONResponse:
        return problem(500, "the hub failed, its log says why", code="internal")  # the server logs what is raised on

    app.add_exception_handler(KhubError, of_hub)
    app.add_exception_handler(RequestValidationError, of_field)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(Exception, of_crash)


def _sendable(text: str) -> str:
    """Return a text that a caller has named with what UTF-8 cannot carry replaced."""
    return text.encode("utf-8", "replace").decode()


def _methods(app: FastAPI, request: Request) -> set[str]:
    """Return the methods that are answered at the path of a request."""
    fitting = [route for route in all_routes(app.routes) if route.matches(request.scope)[0] is not Match.NONE]
    return {method for route in fitting for method in getattr(route, "methods", None) or ()}
