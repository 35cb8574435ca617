"""The sentence of a passage that carries the match."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from components.answers.asked_number import AskedNumber, gives_number
from components.answers.table_rows import has_table, header_rows, with_whole_rows
from components.text.sentence_ends import sentence_spans
from components.text.term_search import TermSearch
from components.text.tokenizer import tokenize

TITLED = 0.5
"""What a word of the document's title counts in a sentence of that document."""

NUMBERED = 2.0
"""How much more a sentence with a number of its own counts where the question asks for one."""

Others = dict[str, list[tuple[frozenset[str], float]]]

HEADING = re.compile(r"\s*#{1,6}\s")
IMAGE = re.compile(r"\[IMAGE:[^\]\n]*\]")


def term_weights(terms: set[str], rarity: Mapping[str, float] | None) -> dict[str, float]:
    """Return what each term of the question counts.

    :param terms: tokens of the question.
    :param rarity: inverse document frequency of those that the collection knows; None where no leg has told.
    :returns: term -> weight; one that the collection does not know counts as its rarest.
    """
    known = dict(rarity or {})
    return {term: known.get(term, max(known.values(), default=1.0)) for term in terms}


def other_words(expansions: Sequence[Mapping[str, Any]], terms: set[str]) -> Others:
    """Return the synonyms and translations of the question's terms.

    :param expansions: as `QueryAnalyzer` and `QueryTranslation` give them.
    :param terms: tokens of the question.
    :returns: term -> its other words, each with the part of the term's weight that it counts, 1 at most.
    """
    found: Others = {}
    for other in expansions:
        # a translation is one of a term, and a synonym one of a word as it was typed
        for term in {other["of"]} & terms or terms.intersection(tokenize(other["of"])):
            found.setdefault(term, []).append((frozenset(other["terms"]), min(other["weight"], 1.0)))
    return found


def beside_title(weights: Mapping[str, float], title: str) -> dict[str, float]:
    """Return the weights of terms in a document of this title, whose own words say less: all of it is about them."""
    named = TermSearch(weights).held(title) if title else set()
    return {term: weight * (TITLED if term in named else 1.0) for term, weight in weights.items()}


def key_sentence(
    text: str, weights: Mapping[str, float], others: Others | None = None, asked: AskedNumber | None = None
) -> str:
    """Return the sentence with the most of the question's terms, rare ones weighing more.

    A row of a table is one sentence; where it has a term itself, those of the table's header count for it, too.

    :param text: a passage.
    :param weights: term -> weight (see `term_weights`).
    :param others: other words that stand in for a term (see `other_words`).
    :param asked: where the question asks for a number, a sentence that gives one counts more.
    :returns: a part of the text as it stands there, the first of equally good ones; a heading only where no other
        sentence has a term, and so the header of a table; "" where none has.
    """
    others = others or {}
    best, most = "", (0.0, False)
    spans = sentence_spans(text)
    headers: dict[int, int] = {}
    if has_table(text):
        spans = with_whole_rows(text, spans)
        headers = header_rows(text, spans)
    searched = {*weights, *(token for ways in others.values() for tokens, _ in ways for token in tokens)}
    terms = _terms_of(text, spans, searched)
    for place, held in terms.items():
        sentence, header = text[slice(*spans[place])].strip(), headers.get(place)
        known = held if header is None else held | terms.get(header, set())
        worth = sum(weight * _held(term, known, others.get(term, ())) for term, weight in weights.items())
        # looked into only where it decides
        if asked and worth * NUMBERED > most[0] and gives_number(IMAGE.sub(" ", sentence), asked):
            worth *= NUMBERED
        rank = (0.0 if header == place or HEADING.match(sentence) else worth, worth > 0)
        if rank > most:
            best, most = sentence, rank
    return best


def _held(term: str, known: set[str], ways: Sequence[tuple[frozenset[str], float]]) -> float:
    """Return how much of a term is there, from 0 to 1: all of it, or what another word for it counts."""
    return 1.0 if term in known else max((share for tokens, share in ways if tokens <= known), default=0.0)


def _terms_of(text: str, spans: list[tuple[int, int]], searched: set[str]) -> dict[int, set[str]]:
    """Return number of a sentence -> its terms, but for those of a picture's id; without sentences that have none."""
    search = TermSearch(searched)
    if not IMAGE.search(text):
        return search.held_in_parts(text, spans)
    held = {place: search.held(IMAGE.sub("", text[slice(*span)])) for place, span in enumerate(spans)}
    return {place: terms for place, terms in held.items() if terms}
