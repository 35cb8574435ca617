"""What the hub's own routes say of their answers in the OpenAPI document."""

from typing import Any

from khub.server.http.problems import MEDIA_TYPE

PROBLEMS = {
    400: "The body is not JSON.",
    401: "A token is needed.",
    403: "The caller may not do it.",
    404: "There is no such thing, or not for this caller.",
    409: "It does not go with what is there now.",
    412: "It was changed since the state that `If-Match` names.",
    413: "The body is too large.",
    415: "The body is of a type that is not taken.",
    416: "The file has no such part.",
    421: "The service is not known by this Host.",
    422: "The request does not fit.",
    429: "The caller asks too often.",
    503: "The hub cannot answer now.",
    504: "The answer took too long.",
}
EVERYWHERE = (401, 403, 413, 421, 422, 429, 503, 504)
"""What any route may answer: the door, and what the request is checked against."""
EVENTS = "text/event-stream"
TEXT: dict[str, Any] = {"type": "string"}
BINARY = {**TEXT, "format": "binary"}
EVENT = {"type": "object", "properties": {"id": TEXT, "event": TEXT, "data": TEXT}}
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "It is as `If-None-Match` says."}}


def problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """Return what FastAPI takes as `responses`: what any route may answer, and some more.

    :param more: further statuses, of `PROBLEMS`.
    """
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    statuses = sorted({*EVERYWHERE, *more})
    return {status: {"description": PROBLEMS[status], "content": content} for status in statuses}


def list_problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """Return the same for what has an ETag."""
    return {**NOT_MODIFIED, **problems(*more)}


def of_type(media_type: str, description: str, *more: str) -> dict[int | str, dict[str, Any]]:
    """Return the answer of a route that gives no JSON.

    :param more: other types that it may have.
    """
    content = {one: {"schema": _schema_of(one)} for one in (media_type, *more)}
    return {200: {"description": description, "content": content}}


def _schema_of(media_type: str) -> dict[str, Any]:
    return EVENT if media_type == EVENTS else TEXT if media_type.startswith("text/") else BINARY
