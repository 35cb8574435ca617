"""Join what several searches of one leg have found, so that each has its share of the places."""

from itertools import chain, zip_longest

from haystack import Document

from khub.components.catalog.passage import changed


def interleaved(found: list[list[Document]], top_k: int) -> list[Document]:
    """Take the best of each list, then the second best of each …, every chunk once.

    :param found: what each search has found, best first.
    :param top_k: places in all.
    :returns: the chunks; one that several searches have found has the highest of its scores.
    """
    if len(found) == 1:
        return found[0][:top_k]
    best: dict[str, Document] = {}
    order: dict[str, None] = {}
    for document in chain.from_iterable(zip_longest(*found)):
        if document is not None:
            order.setdefault(document.id)
            known = best.get(document.id)
            score = max((d.score or 0.0 for d in (document, known) if d is not None), default=0.0)
            best[document.id] = changed(document, score=score)
    return [best[id_] for id_ in order][:top_k]
