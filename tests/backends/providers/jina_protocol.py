"""Jina's protocol: `/v1/embeddings` with a task, `/v1/rerank`; and those of servers of one's own that rank."""

from typing import Any, ClassVar

from tests.backends.providers.cohere_protocol import relevance
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

TASKS = ("retrieval.query", "retrieval.passage", "text-matching", "classification", "separation")


class Jina(Provider):
    """Jina's own."""

    models = ("jina-embeddings-v3", "jina-reranker-v2-base-multilingual")

    def routes(self) -> dict[str, Any]:
        return {"/v1/embeddings": self.embed, "/v1/rerank": self.rerank}

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        said = {
            401: "Your API key is invalid or expired. Get a new one at https://jina.ai",
            429: "Per IP rate limit exceeded",
            500: "Internal Server Error",
        }
        return {"detail": message or said[status]}

    def embed(self, asked: Asked) -> Answer:
        known = {"model", "input", "task", "dimensions", "late_chunking", "embedding_type", "normalized", "truncate"}
        check_fields(asked.body, known, {"model", "input"}, status=422)
        self.check_model(asked.body["model"])
        if asked.body.get("task") not in (None, *TASKS):
            raise RefusalError(422, "task: Input should be " + ", ".join(TASKS))
        texts = asked.body["input"]
        data = [{"object": "embedding", "index": at, "embedding": vector(text)} for at, text in enumerate(texts)]
        usage = {"total_tokens": tokens(" ".join(texts)), "prompt_tokens": tokens(" ".join(texts))}
        return Answer(200, as_json({"model": asked.body["model"], "object": "list", "usage": usage, "data": data}))

    def rerank(self, asked: Asked) -> Answer:
        known = {"model", "query", "documents", "top_n", "return_documents", "truncation"}
        check_fields(asked.body, known, {"query", "documents"}, status=422)
        self.check_model(asked.body.get("model", ""))
        documents = asked.body["documents"]
        scores = relevance(documents)
        results = [
            {"index": at, "relevance_score": scores[at]} for at in sorted(range(len(scores)), key=scores.__getitem__)
        ]
        usage = {"total_tokens": tokens(" ".join(documents))}
        return Answer(200, as_json({"model": asked.body.get("model"), "usage": usage, "results": results[::-1]}))


class OwnReranker(Jina):
    """Jina's protocol as vLLM speaks it."""

    models = ("BAAI/bge-reranker-v2-m3",)

    def routes(self) -> dict[str, Any]:
        return {"/v1/rerank": self.rerank}

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        if status == 401:
            return {"error": "Unauthorized"}
        return {"error": {"message": message or "busy", "type": "BadRequestError", "param": None, "code": status}}


class TextEmbeddingsInference(Provider):
    """The protocol of text-embeddings-inference, which asks for no key."""

    keyless: ClassVar[bool] = True

    def routes(self) -> dict[str, Any]:
        return {"/rerank": self.rerank}

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        return {
            "error": message or "Model is overloaded",
            "error_type": "Overloaded" if status == 429 else "Validation",
        }

    def rerank(self, asked: Asked) -> Answer:
        known = {"query", "texts", "raw_scores", "return_text", "truncate", "truncation_direction"}
        check_fields(asked.body, known, {"query", "texts"}, status=422)
        scores = relevance(asked.body["texts"])
        ranked = sorted(range(len(scores)), key=lambda at: -scores[at])
        return Answer(200, as_json([{"index": at, "score": scores[at]} for at in ranked]))
