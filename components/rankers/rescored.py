"""Give a passage the score and the place that a ranker found for it."""

from collections.abc import Mapping

from haystack import Document

from khub.components.catalog.passage import PassageMeta, changed


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
    return changed(document, score=score, meta=PassageMeta(document.meta, **told))
