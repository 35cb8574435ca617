"""Ask a keyword retriever, whoever's it is."""

import inspect
from collections.abc import Sequence
from typing import Any

from haystack import Document


def found_by_words(
    retriever: Any, words: str, top_k: int, among: Sequence[str] | None = None, language: str | None = None
) -> list[Document]:
    """Return the best documents for any of the words, best first.

    :param retriever: of a store whose documents were made by `khub.components.stores.index_entries`.
    :param words: plain words (see `khub.components.text.plain_words`).
    :param among: ids to search among, or None for all.
    :param language: search among the documents in it, or None for all.
    """
    conditions: list[dict[str, Any]] = []
    if among is not None:
        conditions.append({"field": "id", "operator": "in", "value": list(among)})
    if language is not None:
        conditions.append({"field": "meta.language", "operator": "==", "value": language})
    query = "query" if "query" in inspect.signature(retriever.run).parameters else "query_text"
    filters = {"operator": "AND", "conditions": conditions} if conditions else None
    found: list[Document] = retriever.run(**{query: words}, top_k=top_k, filters=filters)["documents"]
    return [document for document in found if document.score is None or document.score > 0]
