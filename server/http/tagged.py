"""Answers with an ETag, and none where the client has them already."""

import hashlib
from collections.abc import Callable
from typing import Annotated

from fastapi import Header
from fastapi.exceptions import HTTPException
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

JSON = "application/json"
IfMatch = Annotated[
    str | None, Header(max_length=2000, description="ETag of what is to be changed: 412 where it has changed since.")
]


def tagged(request: Request, shape: BaseModel) -> Response:
    """Return JSON with an ETag; 304 where the client has just that."""
    return tagged_bytes(request, shape.model_dump_json().encode(), JSON)


def tagged_bytes(request: Request, body: bytes, media_type: str) -> Response:
    """Return a body with an ETag; 304 where the client has just that."""
    tag = tag_of(body)
    if is_known(request, tag):
        return Response(status_code=304, headers={"ETag": tag})
    return Response(body, media_type=media_type, headers={"ETag": tag})


def tag_of(data: bytes) -> str:
    """Return the ETag of what an answer is made from."""
    return f'"{hashlib.sha256(data).hexdigest()[:32]}"'


def is_known(request: Request, tag: str) -> bool:
    """Say whether the client has what this tag names."""
    return _names(request.headers.get("if-none-match", ""), tag)


def shape_tag(shape: BaseModel) -> str:
    """Return the ETag under which `tagged` hands a shape out."""
    return tag_of(shape.model_dump_json().encode())


def require_match(if_match: str | None, current: Callable[[], BaseModel]) -> None:
    """Let pass a change of what the client has seen.

    :param if_match: the header; None where any state may be changed.
    :param current: gives what is there now, as `tagged` hands it out.
    :raises HTTPException: if it is another one by now.
    """
    if if_match is not None and not _names(if_match, shape_tag(current())):
        raise HTTPException(412, "it was changed meanwhile: read it again, and change that")


def _names(header: str, tag: str) -> bool:
    given = [one.strip().removeprefix("W/") for one in header.split(",")]  # a proxy that packs answers weakens tags
    return tag in given or given == ["*"]
