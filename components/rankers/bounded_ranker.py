"""Let another ranker order the first candidates anew, whatever it gives back."""

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

from haystack import Document, component, default_to_dict
from haystack.core.component import Component
from haystack.core.serialization import component_to_dict

from khub.components.errors import GraphError, ParameterError, RetrievalError
from khub.components.question import Question


@component
class BoundedRanker:
    """Hands the first candidates to any Haystack ranker, and takes nothing from it but an order and scores.

    The passages stay those that came in. One that the ranker leaves out, or whose score is no finite number, keeps its
    old place behind those that it ranked; one that it repeats counts once; one that it invents is left out. So no
    ranker, be it a language model that obeyed a passage, can lose, alter or add anything.

    The time limit, and the old order if the ranker fails, are the business of the graph's guard.
    """

    def __init__(self, ranker: Component, candidates: int = 30) -> None:
        """Keep the ranker.

        :param ranker: a component with the inputs `query` and `documents` and the output `documents`, in YAML as
            `{type, init_parameters}`. Its own `top_k` should be no less than `candidates`.
        :param candidates: so many passages, the first ones, are ranked; 1 or more. Both a cross-encoder and a language
            model take time for each.
        :raises GraphError: when `ranker` is no such component, or `candidates` is out of bounds.
        """
        if candidates < 1:
            raise ParameterError(f"BoundedRanker has candidates={candidates}", "give 1 or more")
        _check_sockets(ranker)
        self.ranker = ranker
        self.candidates = candidates

    def to_dict(self) -> dict[str, Any]:
        """Serialize, the ranker with it."""
        return default_to_dict(self, ranker=component_to_dict(self.ranker, "ranker"), candidates=self.candidates)

    def warm_up(self) -> None:
        """Warm the ranker up.

        :raises Exception: whatever the ranker raises.
        """
        if hasattr(self.ranker, "warm_up"):
            self.ranker.warm_up()

    def close(self) -> None:
        """Release what the ranker holds."""
        if hasattr(self.ranker, "close"):
            self.ranker.close()

    @component.output_types(documents=list[Document])
    def run(self, question: Question, documents: list[Document]) -> dict[str, list[Document]]:
        """Rank the passages.

        :param question: its `text` goes to the ranker.
        :param documents: the passages, best first.
        :returns: `documents`: all of them once, those that the ranker ranked in its order, then the others in the order
            in which they came. `score` is the ranker's where it gave scores and these fall with its order; else the
            scores that the passages had are given out anew, the highest first. It never rises from one to the next. In
            `meta` stand the new rank in `ranks["rerank"]` and the ranker's own score, if it gave some, in
            `scores["rerank"]`.
        :raises RetrievalError: when the ranker gives passages back, and none of them is one that it was given.
        :raises Exception: whatever the ranker raises.
        """
        known = {document.id: document for document in reversed(documents)}
        passages = [document for document in documents if known[document.id] is document]
        offered, behind = passages[: self.candidates], passages[self.candidates :]
        returned = self.ranker.run(query=question.text, documents=list(offered))["documents"] if offered else []  # type: ignore[attr-defined]
        ranked = _known_once(returned, offered)
        if returned and not ranked:
            name = type(self.ranker).__name__
            raise RetrievalError(f"{name} gave back none of the passages that it was given", "use another ranker")
        unranked = [passage for passage in offered if passage.id not in ranked]
        scored = any(document.score != known[id_].score for id_, document in ranked.items())
        own = _falling([document.score for document in ranked.values()]) if scored else []
        order = [*(known[id_] for id_ in ranked), *unranked, *behind]
        scores = _scores(order, own)
        return {
            "documents": [
                _placed(passage, score, rank, own[rank - 1] if rank <= len(own) else None)
                for rank, (passage, score) in enumerate(zip(order, scores, strict=True), start=1)
            ]
        }


def _check_sockets(ranker: Component) -> None:
    if not isinstance(ranker, Component):
        raise GraphError(
            f"BoundedRanker holds no component but {ranker!r:.80}",
            "give 'ranker' as {type: ..., init_parameters: {...}}",
        )
    inputs = ranker.__haystack_input__._sockets_dict  # type: ignore[attr-defined]
    outputs = ranker.__haystack_output__._sockets_dict  # type: ignore[attr-defined]
    others = [name for name, socket in inputs.items() if socket.is_mandatory and name not in ("query", "documents")]
    if not {"query", "documents"} <= set(inputs) or others or "documents" not in outputs:
        raise GraphError(
            f"BoundedRanker holds {type(ranker).__name__}, which is no ranker",
            "name a component that makes 'documents' of 'query' and 'documents'",
        )


def _known_once(returned: list[Document], offered: list[Document]) -> dict[str, Document]:
    """Return what the ranker ranked, by id: the first of each that it was given, with a score that is a number."""
    given = {document.id for document in offered}
    ranked: dict[str, Document] = {}
    for document in returned:
        usable = document.score is None or math.isfinite(document.score)
        if document.id in given and usable:
            ranked.setdefault(document.id, document)
    return ranked


def _falling(scores: list[float | None]) -> list[float]:
    """Return the scores if all are there and none is above the one before it, else none of them."""
    numbers = [float(score) for score in scores if score is not None]
    whole = len(numbers) == len(scores)
    return numbers if whole and all(a >= b for a, b in pairwise(numbers)) else []


def _scores(order: list[Document], own: list[float]) -> list[float]:
    """Return falling scores: the ranker's own, and for the others what they had, but none above the one before it."""
    had = [float(d.score) if d.score is not None and math.isfinite(d.score) else 0.0 for d in order]
    if not own:
        return sorted(had, reverse=True)
    scores = list(own)
    for score in had[len(own) :]:
        scores.append(min(score, scores[-1]))
    return scores


def _placed(passage: Document, score: float, rank: int, own: float | None) -> Document:
    meta = {**passage.meta, "ranks": {**passage.meta.get("ranks", {}), "rerank": rank}}
    if own is not None:
        meta["scores"] = {**passage.meta.get("scores", {}), "rerank": own}
    return replace(passage, score=score, meta=meta)
