"""Answers with an ETag, and none where the client has them already."""

import hashlib

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

JSON = "application/json"


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
    given = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    return tag in given or given == ["*"]
