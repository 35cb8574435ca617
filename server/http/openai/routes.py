"""The routes of OpenAI's protocol, with and without `/v1`."""

from typing import Any

from fastapi import APIRouter
from fastapi_openai_compat.responses.models import Response

from khub.server.http.documented import problems
from khub.server.http.openai.chat import Chat
from khub.server.http.openai.embeddings import EmbeddingList, embed
from khub.server.http.openai.errors import OpenAIError, OpenAIRoute
from khub.server.http.openai.models import list_models, show_model
from khub.server.http.openai.replies import ChatCompletion
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
    complete, create = Chat(graphs).complete, Responses(graphs).create
    for base in ("/v1", ""):
        get: Any = {"include_in_schema": base == "/v1", "responses": ANSWERS}
        post: Any = {**get, "openapi_extra": READS}
        router.get(f"{base}/models", summary="List the models", **get)(list_models)
        router.get(f"{base}/models/{{model:path}}", summary="Show a model", **get)(show_model)
        chat, conversation = f"{base}/chat/completions", f"{base}/responses"
        router.post(chat, response_model=ChatCompletion, summary="Answer a chat", **post)(complete)
        router.post(conversation, response_model=Response, summary="Answer a conversation", **post)(create)
        router.post(f"{base}/embeddings", response_model=EmbeddingList, summary="Embed texts", **post)(embed)
        router.post(f"{base}/completions", **{**post, "include_in_schema": False})(refuse_completion)
    return router
