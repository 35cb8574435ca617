"""Cohere's protocol, version 2: `/v2/embed` and `/v2/rerank`."""

from typing import Any

from tests.backends.providers.model import FACT
from tests.backends.providers.provider_server import (
    Answer,
    Asked,
    Provider,
    RefusalError,
    as_json,
    check_fields,
    tokens,
    vector,
)


def relevance(texts: list[str]) -> list[float]:
    """Give the passage that tells of the battery the highest score, each other one a lower one."""
    return [0.97 if FACT in text else round(0.4 - 0.01 * at, 4) for at, text in enumerate(texts)]


class Cohere(Provider):
    """Cohere's own."""

    models = ("embed-v4.0", "rerank-v3.5")

    def routes(self) -> dict[str, Any]:
        return {"/v2/embed": self.embed, "/v2/rerank": self.rerank}

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        said = {
            401: "invalid api token",
            429: "Please wait and try again later",
            500: "internal server error",
        }
        return {"id": "1", "message": message or said[status]}

    def embed(self, asked: Asked) -> Answer:
        body = asked.body
        known = {
            "model",
            "texts",
            "input_type",
            "embedding_types",
            "truncate",
            "output_dimension",
            "max_tokens",
            "inputs",
            "images",
        }
        check_fields(body, known, {"model", "input_type", "embedding_types"})
        self.check_model(body["model"])
        if body["input_type"] not in ("search_document", "search_query", "classification", "clustering"):
            raise RefusalError(400, f"invalid input_type: {body['input_type']}")
        assert body["embedding_types"] == ["float"]
        meta = {"api_version": {"version": "2"}, "billed_units": {"input_tokens": tokens(" ".join(body["texts"]))}}
        vectors = {"float": [vector(text) for text in body["texts"]]}
        kind = "embeddings_by_type"
        answer = {"id": "1", "embeddings": vectors, "texts": body["texts"], "meta": meta, "response_type": kind}
        return Answer(200, as_json(answer))

    def rerank(self, asked: Asked) -> Answer:
        body = asked.body
        known = {"model", "query", "documents", "top_n", "max_tokens_per_doc", "priority"}
        check_fields(body, known, {"model", "query", "documents"})
        self.check_model(body["model"])
        scores = relevance(body["documents"])
        ranked = sorted(range(len(scores)), key=lambda at: -scores[at])[: body.get("top_n", len(scores))]
        results = [{"index": at, "relevance_score": scores[at]} for at in ranked]
        meta = {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}}
        return Answer(200, as_json({"id": "1", "results": results, "meta": meta}))
