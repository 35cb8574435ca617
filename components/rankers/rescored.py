"""Give a passage the score and the place that a ranker found for it."""

from collections.abc import Mapping

from haystack import Document

from components.catalog.passage_meta import PassageMeta


def rescored(document: Document, score: float, ranks: Mapping[str, int], scores: Mapping[str, float]) -> Document:
    """Return a copy of a passage with a new score; its contents are shared.

    :param document: the passage, which is left as it is.
    :param score: the new score.
    :param ranks: stage -> rank from 1; they are added to `meta["ranks"]`.
    :param scores: stage -> score; they are added to `meta["scores"]`.
    """
    told = {
        "ranks": {**document.meta.get("ranks", {}), **ranks},
        "scores": {**document.meta.get("scores", {}), **scores},
    }
    # dataclasses.replace and copy.copy take many times as long, and a query has about fifty of these copies
    copied = object.__new__(type(document))
    vars(copied).update(vars(document), score=score, meta=PassageMeta(document.meta, **told))
    return copied
