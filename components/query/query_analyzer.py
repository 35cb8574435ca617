"""Turn what was typed into a clean query and the terms to search for."""

import string
import unicodedata
from typing import Any

from haystack import component

from components.catalog.catalog import open_catalog
from components.errors import GraphError, KhubError, QueryError
from components.home import hub_home
from components.query.phrases import quoted_phrases
from components.query.stopwords import without_stopwords
from components.query.synonyms import expansions, read_synonyms, synonym_files
from components.text.tokenizer import tokenize

JOINERS = "\u200c\u200d"  # parts of Persian and Indic words, and of composed emoji


@component
class QueryAnalyzer:
    """Cleans the query and takes its search terms, quoted phrases and their synonyms out of it.

    Synonyms stand in `$KHUB_HOME/synonyms.txt`, and for one collection in `$KHUB_HOME/collections/SLUG/synonyms.txt`
    (see `components.query.synonyms.read_synonyms`); a change of a file holds from the next query on.
    """

    def __init__(self, max_characters: int = 8000, synonym_weight: float = 0.5) -> None:
        """Keep the bounds.

        :param max_characters: the longest query allowed, in characters after cleaning.
        :param synonym_weight: what a synonym counts beside the word of the query, from 0 (not looked for) to 1.
        :raises GraphError: when `synonym_weight` is out of bounds.
        """
        if not 0 <= synonym_weight <= 1:
            raise GraphError(f"QueryAnalyzer has synonym_weight={synonym_weight}", "give a number from 0 to 1")
        self.max_characters = max_characters
        self.synonym_weight = synonym_weight

    @component.output_types(
        query=str,
        terms=list[str],
        phrases=list[list[str]],
        expansions=list[dict[str, Any]],
        degraded=list[dict],
    )
    def run(self, query: str, collection: str | None = None) -> dict[str, Any]:
        """Clean the query and find its terms.

        :param query: the question as it was typed.
        :param collection: name of the collection, whose own synonyms count too; the one that a retriever would take if
            None.
        :returns: `query`: without control characters, each run of white space one space; `terms`: the tokens of the
            index's tokenizer, in their order, without stop words unless nothing else is left; empty where the query
            has no words (an emoji); `phrases`: the tokens of what is quoted, a list each; `expansions`: other words
            for some of the query, `{"terms": tokens, "phrase": bool, "weight", "of": the word}` each; `degraded`: what
            is wrong with the files of synonyms.
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
        others, problems = self._synonyms(clean, collection)
        return {
            "query": clean,
            "terms": without_stopwords(clean),
            "phrases": quoted_phrases(clean),
            "expansions": others,
            "degraded": [{"stage": "synonyms", "reason": problem} for problem in problems],
        }

    @component.output_types(
        query=str,
        terms=list[str],
        phrases=list[list[str]],
        expansions=list[dict[str, Any]],
        degraded=list[dict],
    )
    async def run_async(self, query: str, collection: str | None = None) -> dict[str, Any]:
        """Do what `run` does.

        :param query: the question as it was typed.
        :param collection: name of the collection.
        :returns: what `run` returns.
        :raises QueryError: as `run` does.
        """
        return self.run(query=query, collection=collection)

    def _synonyms(self, query: str, collection: str | None) -> tuple[list[dict[str, Any]], list[str]]:
        if not self.synonym_weight:
            return [], []
        home = hub_home()
        slug = _slug(collection) if (home / "collections").is_dir() else None
        files = [read_synonyms(path) for path in synonym_files(home, slug)]
        problems = [problem for file in files for problem in file.problems]
        return expansions(tokenize(query), files, self.synonym_weight), problems


def _slug(collection: str | None) -> str | None:
    collections = open_catalog().collections
    try:
        return collections.state(collections.resolve(collection)).slug
    except KhubError:
        return None  # told by whoever searches it


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
