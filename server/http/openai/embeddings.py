"""Embeddings by the models that came with the hub."""

import asyncio
import base64
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, Field, StrictStr
from pydantic_core import PydanticCustomError
from starlette.responses import JSONResponse, Response

from khub.components.embedders.model_folder import load_model
from khub.components.text.tokenizer import tokenize
from khub.server.graphs.places import work_in_place
from khub.server.http.openai.errors import OpenAIError
from khub.server.http.openai.models import EMBEDDERS, unknown_model
from khub.server.http.openai.replies import usage

AT_ONCE, CHARACTERS_AT_ONCE = 32, 8000
"""So much is embedded between two looks at whether the client still waits: a second of work at most."""
MOST_TEXTS = 2048
MOST_CHARACTERS = 300_000
TOKENS_TOLD = (
    "token ids of another model's tokenizer mean nothing here: send text (LangChain's OpenAIEmbeddings does so with "
    "check_embedding_ctx_length=False)"
)
Text = Annotated[StrictStr, Field(min_length=1, max_length=32_000)]


def _texts(given: Any) -> Any:
    """Refuse what is often sent in place of texts, in words that help."""
    if given == []:
        raise PydanticCustomError("no_texts", "there is no text to embed: send one text, or several in a list")
    entries = given if isinstance(given, list) else []
    if any(isinstance(number, int) for entry in entries for number in (entry if isinstance(entry, list) else [entry])):
        raise PydanticCustomError("token_ids", TOKENS_TOLD)  # type: ignore[arg-type]  # it wants a literal
    return given


class EmbeddingRequest(BaseModel):
    """A request for vectors."""

    model: str = Field(description="`khub-base` (`khub` for short) or `khub-fast`.")
    input: Annotated[Text | Annotated[list[Text], Field(min_length=1, max_length=MOST_TEXTS)], BeforeValidator(_texts)]
    encoding_format: Literal["float", "base64"] | None = "float"
    dimensions: int | None = None


class Embedding(BaseModel):
    """The vector of a text: numbers, or 32-bit floats in base64."""

    object: Literal["embedding"]
    index: int
    embedding: list[float] | str


class EmbeddingList(BaseModel):
    """The vectors, in the order of the texts."""

    object: Literal["list"]
    data: list[Embedding]
    model: str
    usage: dict[str, int]


async def embed(body: EmbeddingRequest) -> Response:
    """Embed texts, each as it is: without what a model wants before a question or a passage."""
    if body.model not in EMBEDDERS:
        raise unknown_model(body.model, f"take one of {', '.join(sorted(set(EMBEDDERS.values())))}")
    model = await asyncio.to_thread(load_model, EMBEDDERS[body.model])
    if body.dimensions not in (None, model.dimension):
        raise OpenAIError(400, f"the vectors have {model.dimension} dimensions", "invalid_value", "dimensions")
    texts = [body.input] if isinstance(body.input, str) else body.input
    if (length := sum(map(len, texts))) > MOST_CHARACTERS:
        message = f"the inputs have {length:,} characters, {MOST_CHARACTERS:,} are allowed: send them in parts"
        raise OpenAIError(400, message, "invalid_value", "input")
    vectors: list[np.ndarray] = []
    for batch in _batches(texts):
        vectors.extend(await work_in_place("embed", model.encode, batch))
    packed = body.encoding_format == "base64"
    data = [{"object": "embedding", "index": n, "embedding": _shown(v, packed)} for n, v in enumerate(vectors)]
    spent = usage(await asyncio.to_thread(lambda: sum(len(tokenize(text)) for text in texts)))
    del spent["completion_tokens"]
    return JSONResponse({"object": "list", "data": data, "model": body.model, "usage": spent})


def _batches(texts: list[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    for text in texts:
        if batch and (len(batch) == AT_ONCE or sum(map(len, batch)) + len(text) > CHARACTERS_AT_ONCE):
            yield batch
            batch = []
        batch.append(text)
    yield batch


def _shown(vector: np.ndarray, packed: bool) -> Any:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode() if packed else vector.tolist()
