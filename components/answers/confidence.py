"""How sure the hub is that the passages answer the query."""

from haystack import Document

from components.text.tokenizer import tokenize

UNHEARD = 0.5  # what a cosine counts when the keyword index has never met any of the question's words


def confidence(documents: list[Document], terms: set[str], unranked: float, unheard: bool = False) -> float:
    """Return the larger of the best cosine and the best share of the query's terms that one passage holds.

    Either will do: a passage in another language shares no term with the query, and one found by an identifier may
    lie far from it. The share is taken of a single passage, for the words of an unanswerable question are mostly
    somewhere in a large index. It grows with either value.

    :param documents: the passages; `meta["scores"]["dense"]` is the cosine, where the ranker has set it.
    :param terms: tokens of the query, without stop words.
    :param unheard: whether the keyword index knows none of the query's terms: mere sounds have their neighbours, too.
    :param unranked: the least value when no passage carries scores, and so the cosines are not known.
    :returns: a number from 0 to 1; 0 when there are no passages.
    """
    if not documents:
        return 0.0
    cosines = [document.meta["scores"].get("dense", 0.0) for document in documents if "scores" in document.meta]
    closest = (max(cosines) * (UNHEARD if unheard else 1.0)) if cosines else unranked
    shares = [len(terms & _terms_of(document)) / len(terms) for document in documents] if terms else []
    return round(min(max([0.0, closest, *shares]), 1.0), 4)


def _terms_of(document: Document) -> set[str]:
    parts = (document.meta.get("title"), document.meta.get("section"), document.content)
    return set(tokenize("\n".join(part for part in parts if part)))
