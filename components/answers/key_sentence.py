"""The sentence of a passage that carries the match."""

import re
from collections.abc import Mapping

from components.text.sentence_ends import sentence_spans
from components.text.tokenizer import tokenize

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

    :param text: a passage.
    :param weights: term -> weight (see `term_weights`).
    :returns: a part of the text as it stands there, the first of equally good ones; a heading only where no other
        sentence has a term; "" where none has, as where the question is in another language.
    """
    best, most = "", (0.0, False)
    for start, end in sentence_spans(text):
        sentence = text[start:end].strip()
        held = weights.keys() & set(tokenize(IMAGE.sub("", sentence)))
        worth = sum(weights[term] for term in held)
        rank = (worth if not HEADING.match(sentence) else 0.0, worth > 0)
        if rank > most:
            best, most = sentence, rank
    return best
