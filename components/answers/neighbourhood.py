"""Scores of passages in the light of where in their documents they stand."""

from collections import defaultdict
from collections.abc import Sequence

from haystack import Document

REACH = 6
"""Chunks on each side of a passage in which another one is its neighbour: about two pages."""


def with_neighbours(documents: Sequence[Document], scores: Sequence[float], weight: float) -> list[float]:
    """Raise passages that have another one of the ranking near them in their document.

    What stands close together in a text is about the same, and so should have similar scores (F. Diaz, *Regularizing Ad
    Hoc Retrieval Scores*, CIKM 2005): a passage that is found in the midst of others is less often there by chance.

    :param documents: passages; those without `doc_id` or `ordinal` in their metadata have no neighbours.
    :param scores: of each, from 0 to 1.
    :param weight: which part of its best neighbour's score a passage gains.
    """
    places: dict[str, list[int]] = defaultdict(list)
    for place, document in enumerate(documents):
        if {"doc_id", "ordinal"} <= document.meta.keys():
            places[document.meta["doc_id"]].append(place)
    raised = list(scores)
    for of_document in places.values():
        for place in of_document:
            here = documents[place].meta["ordinal"]
            near = (scores[n] for n in of_document if 0 < abs(documents[n].meta["ordinal"] - here) <= REACH)
            raised[place] += weight * max(near, default=0.0)
    return raised


def behind_their_page(documents: Sequence[Document], scores: Sequence[float], penalty: float) -> list[float]:
    """Lower each passage by `penalty` for every better one of the same page.

    Whoever sees a page's best passage has the page: another one from it tells less than one from elsewhere. Of maximal
    marginal relevance (J. Carbonell and J. Goldstein, *The Use of MMR*, SIGIR 1998), with the page as what is the same.

    :param documents: passages; those without a page are left as they are.
    :param scores: of each.
    :param penalty: what each better passage of the page costs.
    """
    better: dict[tuple[str, int], int] = defaultdict(int)
    lowered = list(scores)
    for place in sorted(range(len(documents)), key=lambda place: (-scores[place], place)):
        meta = documents[place].meta
        if meta.get("page") is not None:
            page = (str(meta.get("doc_id")), meta["page"])
            lowered[place] -= penalty * better[page]
            better[page] += 1
    return lowered


def behind_what_they_list(documents: Sequence[Document], scores: Sequence[float], penalty: float) -> list[float]:
    """Lower passages of a bibliography, an index, a table of contents or a list of exhibits by `penalty`."""
    return [
        score - penalty * bool(document.meta.get("section_kind"))
        for document, score in zip(documents, scores, strict=True)
    ]
