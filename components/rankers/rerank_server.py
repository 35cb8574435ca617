"""Let a server rank passages: Jina's, or one of your own that speaks its protocol."""

from dataclasses import replace
from typing import Any, Literal

import httpx
from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils.auth import Secret, deserialize_secrets_inplace

from khub.components.errors import ParameterError, RetrievalError
from khub.components.text.chunk_text import embedded_text

FIELDS = {"jina": ("documents", "relevance_score"), "tei": ("texts", "score")}
"""Protocol -> where the passages go in the request, and where the score of each stands in the answer."""


@component
class RerankServer:
    """Ranks passages by a server; it belongs into a `BoundedRanker`.

    `jina` is the protocol of Jina's `/v1/rerank`, which vLLM, Infinity, Xinference and others speak, too; `tei` that of
    `/rerank` of Hugging Face's text-embeddings-inference. A passage goes there under its title and headings.
    """

    def __init__(
        self,
        url: str,
        model: str = "",
        api_key: Secret | None = None,
        protocol: Literal["jina", "tei"] = "jina",
        timeout_s: float = 10.0,
    ) -> None:
        """Keep the parameters.

        :param url: the whole address, such as `https://api.jina.ai/v1/rerank`.
        :param model: its name; "" for a server that has only one.
        :param api_key: a key for `Authorization: Bearer`; None for a server that asks for none.
        :param protocol: what the server speaks.
        :param timeout_s: seconds that a call may take, above 0.
        :raises GraphError: when a parameter is out of bounds.
        """
        if protocol not in FIELDS:
            raise ParameterError(f"RerankServer has protocol={protocol!r}", f"give one of {', '.join(FIELDS)}")
        if not timeout_s > 0:
            raise ParameterError(f"RerankServer has timeout_s={timeout_s}", "give seconds above 0")
        self.url = url
        self.model = model
        self.api_key = api_key
        self.protocol = protocol
        self.timeout_s = timeout_s

    def to_dict(self) -> dict[str, Any]:
        """Serialize to what a graph holds."""
        key = self.api_key.to_dict() if self.api_key else None
        more = {"protocol": self.protocol, "timeout_s": self.timeout_s}
        return default_to_dict(self, url=self.url, model=self.model, api_key=key, **more)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "RerankServer":
        """Build from what a graph holds."""
        deserialize_secrets_inplace(data["init_parameters"], keys=["api_key"])
        return default_from_dict(cls, data)

    @component.output_types(documents=list[Document])
    def run(self, query: str, documents: list[Document]) -> dict[str, list[Document]]:
        """Ask the server.

        :param query: the question.
        :param documents: the passages.
        :returns: `documents`, the best first, each with the server's score.
        :raises httpx.HTTPError: when the server cannot be reached or refuses.
        :raises RetrievalError: when its answer is not of the protocol.
        """
        if not documents:
            return {"documents": []}
        passages, score = FIELDS[self.protocol]
        asked = {"query": query, passages: [embedded_text(document) for document in documents]}
        key = self.api_key.resolve_value() if self.api_key else None
        response = httpx.post(
            self.url,
            json={**asked, **({"model": self.model} if self.model else {})},
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=self.timeout_s,
        ).raise_for_status()
        try:
            answer = response.json()
            results = answer["results"] if isinstance(answer, dict) else answer
            scored = [(float(one[score]), documents[one["index"]]) for one in results]
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise RetrievalError(
                f"what {self.url} answers is not of the protocol {self.protocol!r} ({type(error).__name__}: {error})",
                "set the server's own url and protocol in the graph",
            ) from error
        ranked = sorted(scored, key=lambda pair: -pair[0])
        return {"documents": [replace(document, score=number) for number, document in ranked]}
