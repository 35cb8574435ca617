"""The models of OpenAI's protocol: the hub, each of its collections, and the embedders that came with it."""

import asyncio
from typing import Literal

from pydantic import BaseModel

from khub.components.catalog.catalog import open_catalog
from khub.components.embedders.model_folder import shipped_models
from khub.server.http.openai.errors import OpenAIError

HUB = "khub"
COLLECTION = f"{HUB}:"
EMBEDDERS = {HUB: "khub-base", **{name: name for name in shipped_models()}}
"""Model of a request -> name of the model that is shipped."""


class Model(BaseModel):
    """What a client may name."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "knowledge-hub"


class ModelList(BaseModel):
    """All that there are for the caller."""

    object: Literal["list"] = "list"
    data: list[Model]


async def list_models() -> ModelList:
    """List the models that a chat may name: `khub`, and each collection that the caller may read."""
    names = await asyncio.to_thread(open_catalog().opened_collections.names)
    return ModelList(data=[Model(id=HUB), *(Model(id=COLLECTION + name) for name in names)])


async def show_model(model: str) -> Model:
    """Show a model."""
    if model not in EMBEDDERS:
        await collection_of(model)
    return Model(id=model)


async def collection_of(model: str) -> str | None:
    """Return the collection that a model stands for; None for the one that is asked when none is named.

    :raises OpenAIError: if there is no such model for the caller.
    """
    if model == HUB:
        return None
    name = model.removeprefix(COLLECTION)
    if name == model or name not in await asyncio.to_thread(open_catalog().opened_collections.names):
        raise unknown_model(model)
    return name


def unknown_model(model: str, remedy: str = "see /v1/models") -> OpenAIError:
    """Return the error that tells of a model that there is not."""
    return OpenAIError(404, f"there is no model {model[:200]!r}: {remedy}", "model_not_found", "model")
