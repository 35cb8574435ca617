"""Turn what was typed into a clean query and the terms to search for."""

import string
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from haystack import component

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import ParameterError, QueryError
from khub.components.home import hub_home
from khub.components.query.collection_words import CollectionWords
from khub.components.query.glosses import glosses_with
from khub.components.query.phrases import quoted_phrases
from khub.components.query.spelling import corrected, corrections
from khub.components.query.synonyms import DOMAINS, expansions, named_files, read_synonyms, synonym_files
from khub.components.question import Expansion, Question
from khub.components.text.stopwords import search_terms
from khub.components.text.symbols import is_symbol, symbols_in
from khub.components.text.tokenizer import tokenize

JOINERS = "\u200c\u200d"  # parts of Persian and Indic words, and of composed emoji

MEANING = frozenset(tokenize("mean meaning stand symbol sign emoji icon 意思 含义 符号 表示 代表 图标"))
"""What asks for a symbol, and says nothing about it."""


@component
class QueryAnalyzer:
    """Cleans the query, corrects its mistyped words, and takes its search terms, quoted phrases and synonyms out of it.

    Synonyms stand in the files of the graph's domains, in `$KHUB_HOME/synonyms.txt`, and for one collection in
    `$KHUB_HOME/collections/SLUG/synonyms.txt` (see `khub.components.query.synonyms.read_synonyms`); a change of a file
    holds from the next query on. The keyword leg looks for them; what the question's notions are called in a language
    is also a gloss of it, by which the dense leg and the rerankers know them.
    """

    def __init__(
        self, max_characters: int = 8000, synonym_weight: float = 0.5, synonyms: Sequence[str] = tuple(DOMAINS)
    ) -> None:
        """Keep the bounds.

        :param max_characters: the longest query allowed, in characters after cleaning.
        :param synonym_weight: what a synonym counts beside the word of the query, from 0 (not looked for) to 1.
        :param synonyms: domains whose notions are known (`finance`, `human_resources`, `it_operations`,
            `law_and_contracts`), and paths of files of one's own; [] for none but the user's.
        :raises GraphError: when `synonym_weight` is out of bounds, or there are no such synonyms.
        """
        if not 0 <= synonym_weight <= 1:
            raise ParameterError(f"QueryAnalyzer has synonym_weight={synonym_weight}", "give a number from 0 to 1")
        self.max_characters = max_characters
        self.synonym_weight = synonym_weight
        self.synonyms = list(synonyms)
        self._files = named_files(self.synonyms)

    @component.output_types(question=Question, query=str, filters=dict[str, Any] | None, degraded=list[dict[str, Any]])
    def run(self, question: Question) -> dict[str, Any]:
        """Clean the question and find its terms.

        :param question: its `text` is what was typed, without what became a filter.
        :returns: `question` with `text` (no control characters, each run of white space one space, mistyped words
            corrected, see `khub.components.query.spelling`) and its `corrections`, `terms` (without stop words unless
            nothing else is left, with the symbols that the collection holds; all symbols where there are no words),
            `phrases`, `expansions` and `glosses` (of each language, what its synonyms say);
            `query` and `filters`: its text and its filter, for components that know no `Question`; `degraded`: what is
            wrong with the files of synonyms.
        :raises QueryError: when nothing is left of the question but punctuation, or it is longer than `max_characters`.
        """
        clean = clean_query(question.text)
        if not any(map(_says_something, clean)):
            raise QueryError(f"the query {question.text[:40]!r} is empty", "ask with at least one word")
        if len(clean) > self.max_characters:
            raise QueryError(
                f"the query has {len(clean)} characters, {self.max_characters} are allowed",
                "shorten it to the question itself",
            )
        others, problems = self._synonyms(clean, question)
        words = CollectionWords.of(question)
        known = {term for other in others for term in tokenize(other.of)}
        slips = corrections(clean, words, known) if words else {}
        if slips:
            clean = corrected(clean, slips)
            others, problems = self._synonyms(clean, question)
        analyzed = replace(
            question,
            text=clean,
            sub_queries=[corrected(side, slips) for side in question.sub_queries],
            terms=_terms(clean, words),
            phrases=quoted_phrases(clean),
            expansions=[*question.expansions, *others],
            corrections=slips,
            glosses=glosses_with(question.glosses, [other.text for other in others]),
        )
        degraded = [{"stage": "synonyms", "reason": problem} for problem in problems]
        return {"question": analyzed, "query": clean, "filters": question.filters, "degraded": degraded}

    def _synonyms(self, query: str, question: Question) -> tuple[list[Expansion], list[str]]:
        if not self.synonym_weight:
            return [], []
        home, slug = hub_home(), None
        if (home / "collections").is_dir():
            slug = open_catalog().collections.slug(question.collection_name)
        files = [read_synonyms(path) for path in (*self._files, *synonym_files(home, slug))]
        problems = [problem for file in files for problem in file.problems]
        return expansions(tokenize(query), files, self.synonym_weight), problems


def _terms(text: str, words: CollectionWords | None) -> list[str]:
    terms, symbols = search_terms(text), symbols_in(text)
    if words and symbols and terms != symbols:
        # people put emoji into questions as they put them into letters: one that no document has tells nothing
        held = words.holding(symbols)
        terms = [term for term in terms if not held or term not in MEANING]
        terms += [symbol for symbol in symbols if symbol in held]
    return terms


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
    if is_symbol(character):
        return True
    return unicodedata.category(character)[0] in "LNS" and character not in string.punctuation
