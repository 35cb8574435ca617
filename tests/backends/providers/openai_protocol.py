"""OpenAI's protocol, and how those who speak it differ: paths, keys, models, errors, streams, usage."""

import json
from collections.abc import Iterator
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

CHAT = {
    "model",
    "messages",
    "temperature",
    "top_p",
    "n",
    "stream",
    "stream_options",
    "stop",
    "max_tokens",
    "max_completion_tokens",
    "presence_penalty",
    "frequency_penalty",
    "logit_bias",
    "user",
    "tools",
    "tool_choice",
    "parallel_tool_calls",
    "response_format",
    "seed",
    "logprobs",
    "top_logprobs",
    "reasoning_effort",
    "service_tier",
    "store",
    "metadata",
    "modalities",
}


class OpenAI(Provider):
    """OpenAI's own: `/v1/chat/completions` and `/v1/embeddings`, key as `Authorization: Bearer`."""

    base: ClassVar[str] = "/v1"
    models = ("gpt-4.1-mini", "gpt-5-mini", "text-embedding-3-small")
    seeing: ClassVar[tuple[str, ...]] = ("gpt-4.1-mini", "gpt-5-mini")
    embedding: ClassVar[tuple[str, ...]] = ("text-embedding-3-small",)
    known: ClassVar[set[str] | None] = CHAT
    """Fields that it knows; None for a server that passes over others."""
    usage_unasked: ClassVar[bool] = False
    """Whether a stream tells the usage without `stream_options`."""
    comment: ClassVar[str] = ""
    """A comment that a stream holds while the model has not begun."""

    def routes(self) -> dict[str, Any]:
        return {f"{self.base}/chat/completions": self.chat, f"{self.base}/embeddings": self.embed}

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        masked = f"{key[:4]}{'*' * 8}{key[-4:]}"
        said = {
            401: f"Incorrect API key provided: {masked}. You can find your API key at "
            "https://platform.openai.com/account/api-keys.",
            429: "Rate limit reached for gpt-4.1-mini in organization org-x on requests per min (RPM): Limit 3.",
            500: "The server had an error while processing your request.",
        }
        kind, code = {
            401: ("invalid_request_error", "invalid_api_key"),
            404: ("invalid_request_error", "model_not_found"),
            429: ("requests", "rate_limit_exceeded"),
            500: ("server_error", None),
        }.get(status, ("invalid_request_error", None))
        return {"error": {"message": message or said[status], "type": kind, "param": None, "code": code}}

    def model_of(self, asked: Asked) -> str:
        model: str = asked.body["model"]
        self.check_model(model)
        return model

    def chat(self, asked: Asked) -> Answer:
        body = asked.body
        check_fields(body, set(body) if self.known is None else self.known, {"messages"})
        model = self.model_of(asked)
        if model.startswith("gpt-5") and body.get("temperature", 1) != 1:
            raise RefusalError(400, "Unsupported value: 'temperature' does not support 0.0 with this model.")
        text = self.says(*self.read(body["messages"], model))
        usage = self.usage(str(body["messages"]), text)
        if body.get("stream"):
            wanted = self.usage_unasked or (body.get("stream_options") or {}).get("include_usage")
            events = [self.comment, *self.events(model, text, usage if wanted else None)]
            if self.breaks:
                return Answer(200, "".join(events[:3]).encode(), "text/event-stream", breaks=True)
            return Answer(200, "".join(events).encode(), "text/event-stream")
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        return Answer(200, as_json({**self.about(model, "chat.completion"), "choices": [choice], "usage": usage}))

    def about(self, model: str, kind: str) -> dict[str, Any]:
        return {"id": "chatcmpl-1", "object": kind, "created": 1, "model": model}

    def usage(self, asked: str, text: str) -> dict[str, Any]:
        return {
            "prompt_tokens": tokens(asked),
            "completion_tokens": tokens(text),
            "total_tokens": tokens(asked) + tokens(text),
        }

    def read(self, messages: list[dict[str, Any]], model: str) -> tuple[str, str, list[str]]:
        """Return the last message's text, the system's, and the pictures, refusing what is none of the three."""
        system, prompt, images = "", "", []
        for message in messages:
            if message["role"] not in ("system", "user", "assistant"):
                raise RefusalError(400, f"Invalid value: '{message['role']}'.")
            parts = message["content"]
            for part in [{"type": "text", "text": parts}] if isinstance(parts, str) else parts:
                if part["type"] == "image_url":
                    if model not in self.seeing:
                        raise RefusalError(400, "Failed to deserialize: unknown variant `image_url`, expected `text`")
                    head, _, data = part["image_url"]["url"].partition(";base64,")
                    if head not in ("data:image/png", "data:image/jpeg"):
                        raise RefusalError(400, "Invalid image URL.")
                    images.append(data)
                elif message["role"] == "system":
                    system = part["text"]
                else:
                    prompt = part["text"]
        return prompt, system, images

    def events(self, model: str, text: str, usage: dict[str, Any] | None) -> Iterator[str]:
        about = self.about(model, "chat.completion.chunk")
        pieces = text.split(" ")
        deltas: list[tuple[dict[str, Any], str | None]] = [({"role": "assistant", "content": ""}, None)]
        deltas += [({"content": piece if at == 0 else f" {piece}"}, None) for at, piece in enumerate(pieces)]
        for delta, reason in [*deltas, ({}, "stop")]:
            chunk = {**about, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
            yield f"data: {json.dumps(chunk)}\n\n"
        if usage:
            yield f"data: {json.dumps({**about, 'choices': [], 'usage': usage})}\n\n"
        yield "data: [DONE]\n\n"

    def embed(self, asked: Asked) -> Answer:
        check_fields(asked.body, {"model", "input", "encoding_format", "dimensions", "user"}, {"input"})
        model = self.model_of(asked)
        if self.embedding and model not in self.embedding:
            raise RefusalError(404, f"{model} makes no vectors")
        texts = asked.body["input"]
        texts = [texts] if isinstance(texts, str) else texts
        data = [{"object": "embedding", "index": i, "embedding": vector(text)} for i, text in enumerate(texts)]
        usage = {"prompt_tokens": tokens(" ".join(texts)), "total_tokens": tokens(" ".join(texts))}
        return Answer(200, as_json({"object": "list", "data": data, "model": model, "usage": usage}))


class Azure(OpenAI):
    """Azure's: a path for each deployment, `?api-version=`, key as `api-key`."""

    deployment: ClassVar[str] = "my-deployment"
    models = ()
    seeing = ("my-deployment",)
    embedding = ()

    def routes(self) -> dict[str, Any]:
        base = f"/openai/deployments/{self.deployment}"
        return {
            f"{base}/chat/completions?api-version=2024-12-01-preview": self.chat,
            f"{base}/embeddings?api-version=2023-05-15": self.embed,
        }

    def key_of(self, headers: dict[str, str]) -> str:
        return headers.get("api-key", "")

    def model_of(self, asked: Asked) -> str:
        return self.deployment

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        said = {
            401: ("401", ("Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a "
                  "valid key for an active subscription and use a correct regional API endpoint for your resource.")),
            404: ("DeploymentNotFound", "The API deployment for this resource does not exist."),
            429: ("429", ("Requests to the ChatCompletions_Create Operation have exceeded the call rate limit of your "
                  "current pricing tier. Please retry after 1 second.")),
            500: ("InternalServerError", "The server had an error while processing your request."),
        }  # fmt: skip
        code, text = said.get(status, ("BadRequest", message))
        return {"error": {"code": code, "message": text}}


class DeepSeek(OpenAI):
    """As OpenAI's; its models see nothing; a stream tells the usage unasked and holds comments while one waits."""

    models = ("deepseek-v4-flash", "deepseek-v4-pro")
    seeing = ()
    known = CHAT | {"thinking"}
    usage_unasked = True
    comment = ": keep-alive\n\n"

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        said = {
            401: (f"Authentication Fails, Your api key: ****{key[-4:]} is invalid", "authentication_error"),
            402: ("Insufficient Balance", "unknown_error"),
            404: ("Model Not Exist", "invalid_request_error"),
            429: ("Rate limit reached", "rate_limit_error"),
            500: ("Server Error", "server_error"),
        }
        text, kind = said.get(status, (message, "invalid_request_error"))
        return {"error": {"message": text, "type": kind, "param": None, "code": "invalid_request_error"}}


class Zhipu(OpenAI):
    """As OpenAI's below `/api/paas/v4`; replies lack `object`, errors have a number of their own and no type."""

    base = "/api/paas/v4"
    models = ("glm-4.6", "glm-4.6v")
    seeing = ("glm-4.6v",)
    known = CHAT | {"thinking", "do_sample", "request_id"}
    usage_unasked = True

    def about(self, model: str, kind: str) -> dict[str, Any]:
        return {"id": "2026112700001", "created": 1, "model": model, "request_id": "2026112700001"}

    def model_of(self, asked: Asked) -> str:
        self.check_model(asked.body["model"], 400)
        return str(asked.body["model"])

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        said = {
            400: ("1211", "模型不存在，请检查模型代码。"),
            401: ("1000", "身份验证失败。"),
            429: ("1302", "您当前使用该API的并发数过高，请降低并发，或联系客服增加限额。"),
            500: ("500", "内部错误"),
        }
        code, text = said.get(status, (str(status), message))
        return {"error": {"code": code, "message": text}}


class DashScope(OpenAI):
    """As OpenAI's below `/compatible-mode/v1`; errors carry a `request_id`."""

    base = "/compatible-mode/v1"
    models = ("qwen-plus", "qwen-vl-plus")
    seeing = ("qwen-vl-plus",)
    known = CHAT | {"enable_thinking", "top_k", "repetition_penalty"}

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        said = {
            401: ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
            429: ("You exceeded your current requests list.", "limit_requests", "limit_requests"),
            500: ("Internal server error!", "internal_error", "internal_error"),
        }
        text, kind, code = said.get(status, (message, "invalid_request_error", "model_not_found"))
        return {"error": {"message": text, "type": kind, "param": None, "code": code}, "request_id": "r-1"}


class Mistral(OpenAI):
    """As OpenAI's; 422 for fields that it does not know, errors with the message on top, usage in each stream."""

    models = ("mistral-small-latest",)
    seeing = ("mistral-small-latest",)
    known = CHAT - {"seed", "user", "logit_bias", "stream_options", "store"} | {"random_seed", "safe_prompt"}
    usage_unasked = True

    def chat(self, asked: Asked) -> Answer:
        for name in sorted(set(asked.body) - (self.known or set())):
            raise RefusalError(422, name)
        return OpenAI.chat(self, asked)

    def model_of(self, asked: Asked) -> str:
        self.check_model(asked.body["model"], 400)
        return str(asked.body["model"])

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        if status == 401:
            return {"detail": "Unauthorized"}
        if status == 422:
            return {"detail": [{"type": "extra_forbidden", "loc": ["body", message], "msg": "Extra inputs ..."}]}
        said = {429: ("Rate limit exceeded", "rate_limited", "1300"), 500: ("Service unavailable.", "internal", "1000")}
        text, kind, code = said.get(status, (message, "invalid_model", "1500"))
        return {"object": "error", "message": text, "type": kind, "param": None, "code": code}


class OpenRouter(OpenAI):
    """As OpenAI's below `/api/v1`; a stream holds comments while the model has not begun; errors have a number."""

    base = "/api/v1"
    models = ("qwen/qwen3-235b-a22b",)
    seeing = ()
    known = CHAT | {"provider", "models", "transforms", "reasoning", "usage", "plugins", "route"}
    usage_unasked = True
    comment = ": OPENROUTER PROCESSING\n\n"

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        said = {401: "User not found.", 402: "Insufficient credits", 429: "Provider returned error", 500: "Internal"}
        return {"error": {"message": message or said[status], "code": status}}


class VLLM(OpenAI):
    """As OpenAI's, on a machine of one's own; passes over fields that it does not know."""

    models = ("Qwen/Qwen3-8B",)
    seeing = ()
    known = None

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        if status == 401:
            return {"error": "Unauthorized"}
        kind = "NotFoundError" if status == 404 else "BadRequestError"
        return {"error": {"message": message or "busy", "type": kind, "param": None, "code": status}}


class LMStudio(VLLM):
    """As OpenAI's, on a machine of one's own; asks for no key."""

    keyless = True
    models = ("qwen/qwen3-8b",)


class LlamaCpp(VLLM):
    """As OpenAI's, on a machine of one's own; its one model answers to any name, and tells its timings."""

    models = ()

    def about(self, model: str, kind: str) -> dict[str, Any]:
        return {**OpenAI.about(self, model, kind), "system_fingerprint": "b1", "timings": {"prompt_n": 1}}

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        if status == 401:
            return {"error": {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}}
        return {"error": {"code": status, "message": message or "busy", "type": "server_error"}}


class OllamaAsOpenAI(VLLM):
    """As OpenAI's, at Ollama; asks for no key."""

    keyless = True
    models = ("llama3.1:8b",)

    def refusal(self, status: int, message: str, key: str) -> dict[str, Any]:
        text = 'model "x" not found, try pulling it first' if status == 404 else message or "busy"
        return {"error": {"message": text, "type": "api_error", "param": None, "code": None}}


class AnyEmbedder(VLLM):
    """As OpenAI's embeddings, at any server."""

    models = ("my-model",)
    embedding = ("my-model",)
