"""The sentence of a passage that carries the match."""

import re
from collections.abc import Mapping

from components.answers.table_rows import has_table, header_rows, with_whole_rows
from components.text.sentence_ends import sentence_spans
from components.text.term_search import TermSearch

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


def key_sentence(text: str, weights: Mapping[str, float]) -> str:
    """Return the sentence with the most of the question's terms, rare ones weighing more.

    A row of a table is one sentence; where it has a term itself, those of the table's header count for it, too.

    :param text: a passage.
    :param weights: term -> weight (see `term_weights`).
    :returns: a part of the text as it stands there, the first of equally good ones; a heading only where no other
        sentence has a term, and so the header of a table; "" where none has, as where the question is in another
        language.
    """
    best, most = "", (0.0, False)
    spans = sentence_spans(text)
    headers: dict[int, int] = {}
    if has_table(text):
        spans = with_whole_rows(text, spans)
        headers = header_rows(text, spans)
    terms = _terms_of(text, spans, weights)
    for place, held in terms.items():
        sentence, header = text[slice(*spans[place])].strip(), headers.get(place)
        known = held if header is None else held | terms.get(header, set())
        worth = sum(weight for term, weight in weights.items() if term in known)
        rank = (0.0 if header == place or HEADING.match(sentence) else worth, worth > 0)
        if rank > most:
            best, most = sentence, rank
    return best


def _terms_of(text: str, spans: list[tuple[int, int]], weights: Mapping[str, float]) -> dict[int, set[str]]:
    """Return number of a sentence -> its terms, but for those of a picture's id; without sentences that have none."""
    search = TermSearch(weights)
    if not IMAGE.search(text):
        return search.held_in_parts(text, spans)
    held = {place: search.held(IMAGE.sub("", text[slice(*span)])) for place, span in enumerate(spans)}
    return {place: terms for place, terms in held.items() if terms}
