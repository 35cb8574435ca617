"""The routes of OpenAI's protocol, with and without `/v1`."""

from typing import Any

from fastapi import APIRouter

from khub.server.http.documented import problems
from khub.server.http.openai.chat import Chat
from khub.server.http.openai.embeddings import embed
from khub.server.http.openai.errors import OpenAIError, OpenAIRoute
from khub.server.http.openai.models import list_models, show_model
from khub.server.http.openai.responses import Responses
from khub.server.http.route_access import READS
from khub.server.http.served_graphs import ServedGraphs

ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "object", "required": ["message", "type", "code", "param"]}},
}
ANSWERS: dict[int | str, dict[str, Any]] = {
    status: {**about, "content": {**about["content"], "application/json": {"schema": ERROR}}}
    for status, about in problems(400, 404).items()
}
"""The door answers with problem details; all else in OpenAI's shape."""


def refuse_completion() -> None:
    """Refuse the protocol of before there were chats: its prompts are texts to go on with, and no questions."""
    told = "the hub answers chats: POST /v1/chat/completions (LlamaIndex's OpenAILike does so with is_chat_model=True)"
    raise OpenAIError(404, told, "unknown_url")


def openai_router(graphs: ServedGraphs) -> APIRouter:
    """Return the routes.

    :param graphs: that are served.
    """
    router = APIRouter(tags=["openai"], route_class=OpenAIRoute)
    chat, responses = Chat(graphs), Responses(graphs)
    for base in ("/v1", ""):
        common: dict[str, Any] = {"include_in_schema": base == "/v1", "responses": ANSWERS}
        get, post = {"methods": ["GET"], **common}, {"methods": ["POST"], "openapi_extra": READS, **common}
        router.add_api_route(f"{base}/models", list_models, summary="List the models", **get)
        router.add_api_route(f"{base}/models/{{model:path}}", show_model, summary="Show a model", **get)
        router.add_api_route(
            f"{base}/chat/completions",
            chat.complete,
            response_model=None,
            summary="Answer a chat",
            **post,
        )
        router.add_api_route(
            f"{base}/responses",
            responses.create,
            response_model=None,
            summary="Answer a conversation",
            **post,
        )
        router.add_api_route(
            f"{base}/embeddings",
            embed,
            response_model=None,
            summary="Embed texts",
            **post,
        )
        router.add_api_route(f"{base}/completions", refuse_completion, **{**post, "include_in_schema": False})
    return router
