"""Ollama's own protocol: `/api/chat` with a line of JSON for each piece, `/api/embed`, no key."""

from typing import Any, ClassVar

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


class Ollama(Provider):
    """Ollama's own."""

    keyless = True
    models = ("qwen3:8b", "qwen2.5vl:7b", "bge-m3")
    seeing: ClassVar[tuple[str, ...]] = ("qwen2.5vl:7b",)

    def routes(self) -> dict[str, Any]:
        return {"/api/chat": self.chat, "/api/embed": self.embed, "/api/tags": self.tags}

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        return {"error": message or {429: "too many requests"}.get(status, "llama runner process has terminated")}

    def check_model(self, model: str, status: int = 404) -> None:
        if model not in self.models:
            raise RefusalError(status, f"model '{model}' not found")

    def chat(self, asked: Asked) -> Answer:
        body = asked.body
        known = {
            "model",
            "messages",
            "tools",
            "think",
            "format",
            "options",
            "stream",
            "keep_alive",
            "logprobs",
            "top_logprobs",
        }
        check_fields(body, known, {"model", "messages"})
        self.check_model(body["model"])
        last = body["messages"][-1]
        system = next((one["content"] for one in body["messages"] if one["role"] == "system"), "")
        images = last.get("images") or []
        if images and body["model"] not in self.seeing:
            raise RefusalError(500, "this model is missing data required for image input")
        text = self.says(last["content"], system, images)
        about = {"model": body["model"], "created_at": "2026-11-27T00:00:00Z"}
        counts = {"prompt_eval_count": tokens(last["content"]), "eval_count": tokens(text), "total_duration": 1}
        end = {"done": True, "done_reason": "stop", **counts}
        if body.get("stream", True):
            pieces = [piece if at == 0 else f" {piece}" for at, piece in enumerate(text.split(" "))]
            lines = [{**about, "message": {"role": "assistant", "content": p}, "done": False} for p in pieces]
            lines.append({**about, "message": {"role": "assistant", "content": ""}, **end})
            lines = (
                [*lines[:2], {"error": "an error was encountered while running the model"}] if self.breaks else lines
            )
            return Answer(200, b"".join(as_json(line) + b"\n" for line in lines), "application/x-ndjson")
        return Answer(200, as_json({**about, "message": {"role": "assistant", "content": text}, **end}))

    def embed(self, asked: Asked) -> Answer:
        body = asked.body
        check_fields(body, {"model", "input", "truncate", "dimensions", "options", "keep_alive"}, {"model", "input"})
        self.check_model(body["model"])
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        answer = {"model": body["model"], "embeddings": [vector(text) for text in texts]}
        return Answer(200, as_json({**answer, "prompt_eval_count": tokens(" ".join(texts))}))

    def tags(self, asked: Asked) -> Answer:
        return Answer(200, as_json({"models": [{"name": name, "model": name} for name in self.models]}))
