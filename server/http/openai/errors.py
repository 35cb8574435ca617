"""What a client of OpenAI's protocol is told when it cannot have what it asked for."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from khub.components.errors import KhubError
from khub.server.graphs.places import RETRY_S, TOO_MANY, TooBusyError
from khub.server.http.problems import problem_of


class OpenAIError(Exception):
    """A mistake of the caller.

    :param status: HTTP's.
    :param message: one sentence for a person.
    :param code: a word for programs.
    :param param: the field of the request that is wrong.
    """

    def __init__(self, status: int, message: str, code: str, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": _type(status), "code": code, "param": param}}


class OpenAIRoute(APIRoute):
    """Answers every error in OpenAI's shape."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler."""
        handler = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except OpenAIError as error:
                told = error
            except RequestValidationError as error:
                told = _invalid(error)
            except KhubError as error:
                told = error_of(error)
            headers = {"Retry-After": str(RETRY_S)} if told.status in (TOO_MANY, 503) else None
            return JSONResponse(told.body, told.status, headers)

        return answer


def error_of(error: KhubError) -> OpenAIError:
    """Return what a client is told of an error of the hub's own, as `problem_of` tells others."""
    problem = json.loads(bytes(problem_of(error).body))
    status = problem["status"]
    message = ": ".join(filter(None, [problem["detail"], problem.get("remedy")]))
    if isinstance(error, TooBusyError):
        return OpenAIError(status, message, "rate_limit_exceeded" if status == TOO_MANY else "unavailable")
    mistake = status < 500
    return OpenAIError(
        400 if mistake else status,
        message,
        problem["code"] if mistake else "unavailable",
        "messages" if mistake else None,
    )


def _invalid(error: RequestValidationError) -> OpenAIError:
    first = error.errors()[0]
    param = ".".join(str(part) for part in first["loc"][1:]) or None
    if first["type"] == "json_invalid":
        return OpenAIError(400, "the body is not JSON", "invalid_json")
    return OpenAIError(400, f"{param or 'the body'}: {first['msg']}", "invalid_value", param)


def _type(status: int) -> str:
    return "invalid_request_error" if status < 500 else "server_error"
