"""The routes of OpenAI's protocol, with and without `/v1`."""

from fastapi import APIRouter

from server.http.openai.chat import Chat
from server.http.openai.embeddings import embed
from server.http.openai.errors import OpenAIRoute
from server.http.openai.models import list_models, show_model
from server.http.served_graphs import ServedGraphs


def openai_router(graphs: ServedGraphs) -> APIRouter:
    """Return the routes.

    :param graphs: that are served.
    """
    router = APIRouter(tags=["openai"], route_class=OpenAIRoute)
    chat = Chat(graphs)
    for base in ("/v1", ""):
        shown = base == "/v1"
        get, post = {"methods": ["GET"], "include_in_schema": shown}, {"methods": ["POST"], "include_in_schema": shown}
        router.add_api_route(f"{base}/models", list_models, summary="List the models", **get)  # type: ignore[arg-type]
        router.add_api_route(f"{base}/models/{{model:path}}", show_model, summary="Show a model", **get)  # type: ignore[arg-type]
        router.add_api_route(
            f"{base}/chat/completions",
            chat.complete,
            response_model=None,
            summary="Answer a chat",
            **post,  # type: ignore[arg-type]
        )
        router.add_api_route(
            f"{base}/embeddings",
            embed,
            response_model=None,
            summary="Embed texts",
            **post,  # type: ignore[arg-type]
        )
    return router
