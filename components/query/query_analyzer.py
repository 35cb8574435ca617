"""Turn what was typed into a clean query and the terms to search for."""

import string
import unicodedata
from typing import Any

from haystack import component

from components.errors import QueryError
from components.query.stopwords import without_stopwords

JOINERS = "\u200c\u200d"  # parts of Persian and Indic words, and of composed emoji


@component
class QueryAnalyzer:
    """Cleans the query and takes its search terms out of it."""

    def __init__(self, max_characters: int = 8000) -> None:
        """Keep the bound.

        :param max_characters: the longest query allowed, in characters after cleaning.
        """
        self.max_characters = max_characters

    @component.output_types(query=str, terms=list[str])
    def run(self, query: str) -> dict[str, Any]:
        """Clean the query and find its terms.

        :param query: the question as it was typed.
        :returns: `query`: without control characters, each run of white space one space; `terms`: the tokens of the
            index's tokenizer, in their order, without stop words unless nothing else is left; empty where the query
            has no words (an emoji).
        :raises QueryError: when nothing is left of the query but punctuation, or it is longer than `max_characters`.
        """
        clean = clean_query(query)
        if not any(map(_says_something, clean)):
            raise QueryError(f"the query {query[:40]!r} is empty", "ask with at least one word")
        if len(clean) > self.max_characters:
            raise QueryError(
                f"the query has {len(clean)} characters, {self.max_characters} are allowed",
                "shorten it to the question itself",
            )
        return {"query": clean, "terms": without_stopwords(clean)}

    @component.output_types(query=str, terms=list[str])
    async def run_async(self, query: str) -> dict[str, Any]:
        """Do what `run` does.

        :param query: the question as it was typed.
        :returns: `query` and `terms`.
        :raises QueryError: as `run` does.
        """
        return self.run(query=query)


def clean_query(text: str) -> str:
    """Return the text without control and invisible format characters, each run of white space as one space.

    :param text: any text.
    :returns: one line, which can be encoded as UTF-8.
    """
    return " ".join("".join(map(_visible, text)).split())


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Cc":
        return " "
    return "" if category in ("Cf", "Cs") and character not in JOINERS else character


def _says_something(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNS" and character not in string.punctuation
