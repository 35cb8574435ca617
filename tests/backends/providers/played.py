"""Against what each diff of the pages on providers is run; the table of providers names it."""

from tests.backends.providers.anthropic_protocol import Anthropic
from tests.backends.providers.cohere_protocol import Cohere
from tests.backends.providers.jina_protocol import Jina, OwnReranker, TextEmbeddingsInference
from tests.backends.providers.ollama_protocol import Ollama
from tests.backends.providers.openai_protocol import (
    VLLM,
    AnyEmbedder,
    Azure,
    DashScope,
    DeepSeek,
    LlamaCpp,
    LMStudio,
    Mistral,
    OllamaAsOpenAI,
    OpenAI,
    OpenRouter,
    Zhipu,
)
from tests.backends.providers.provider_server import Provider

TINY = "a tiny model that the test makes"
PLAYED: dict[str, dict[str, type[Provider] | str]] = {
    "models": {
        "OpenAI": OpenAI,
        "Azure OpenAI": Azure,
        "Anthropic Claude": Anthropic,
        "Ollama, its own protocol": Ollama,
        "Ollama, OpenAI's protocol": OllamaAsOpenAI,
        "vLLM": VLLM,
        "LM Studio": LMStudio,
        "llama.cpp": LlamaCpp,
        "DeepSeek": DeepSeek,
        "Zhipu GLM": Zhipu,
        "DashScope Qwen": DashScope,
        "Mistral": Mistral,
        "OpenRouter": OpenRouter,
    },
    "vision": {
        "OpenAI": OpenAI,
        "Azure OpenAI": Azure,
        "DashScope Qwen-VL": DashScope,
        "Zhipu GLM-V": Zhipu,
        "Ollama, its own protocol": Ollama,
    },
    "embedders": {
        "OpenAI": OpenAI,
        "Any server that speaks OpenAI's protocol": AnyEmbedder,
        "Azure OpenAI": Azure,
        "Ollama, its own protocol": Ollama,
        "Jina": Jina,
        "Cohere": Cohere,
        "sentence-transformers": TINY,
        "sentence-transformers with a prompt": TINY,
    },
    "rankers": {
        "A cross-encoder": TINY,
        "A cross-encoder in ONNX": TINY,
        "SPLADE": TINY,
        "Cohere": Cohere,
        "Jina": Jina,
        "vLLM, Infinity, Xinference": OwnReranker,
        "text-embeddings-inference": TextEmbeddingsInference,
    },
}
"""Page -> heading of a diff -> the provider that a local server plays, or what stands in for a downloaded model."""


def provider(page: str, name: str) -> Provider:
    """Return what plays a provider."""
    played = PLAYED[page][name]
    assert not isinstance(played, str)
    return played()


def served(page: str) -> list[str]:
    """Return the providers of a page that a server plays."""
    return [name for name, played in PLAYED[page].items() if not isinstance(played, str)]
