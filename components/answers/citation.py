"""What an answer says of one passage."""

import math
from collections.abc import Mapping, Sequence

from haystack import Document

from khub.components.answer import AlsoIn, Citation, Surroundings
from khub.components.answers.evidence_page import evidence_page
from khub.components.answers.evidence_time import evidence_time
from khub.components.answers.figures import best_first
from khub.components.answers.highlight import Highlighter, Marked
from khub.components.answers.shown_text import shown_text
from khub.components.catalog.origin import origin_of
from khub.components.catalog.parts import shown_name


def citations(documents: Sequence[Document], highlighter: Highlighter) -> list[Citation]:
    """Return what the answer says of each passage, with the sentence that answers.

    :param documents: in the order of their numbers, from 1.
    :param highlighter: of the question.
    """
    marked = [
        Marked(shown_text(one), str(one.meta.get("section") or ""), str(one.meta.get("language") or ""))
        for one in documents
    ]
    pairs = zip(documents, highlighter.sentences(marked), strict=True)
    return [citation(rank, one, said, highlighter.weights) for rank, (one, said) in enumerate(pairs, start=1)]


def citation(rank: int, document: Document, evidence: str, weights: Mapping[str, float]) -> Citation:
    """Return all that the answer says of a passage.

    :param rank: its number in the answer, from 1.
    :param document: the passage.
    :param evidence: its sentence that answers, as it stands in the text.
    :param weights: of the question's terms, by which its pictures are ordered.
    :returns: without a mark in the text that names no picture of this document.
    """
    meta = document.meta
    source, doc_id, text = str(meta.get("source") or ""), str(meta.get("doc_id") or ""), shown_text(document)
    score = float(document.score or 0.0)
    pictures = [image_id for image_id in meta.get("image_refs") or [] if image_id.startswith(f"{doc_id}_")]
    context = meta.get("context")
    return Citation(
        id=rank,
        chunk_id=document.id,
        doc_id=doc_id,
        source=source,
        url=origin_of(str(document.meta.get("source") or ""), document.meta),
        title=meta.get("title") or shown_name(source),
        section=meta.get("section") or "",
        page=evidence_page(document, evidence),
        time_mark=evidence_time(document, evidence),
        text=text,
        evidence=evidence,
        score=score if math.isfinite(score) else 0.0,
        ranks=meta.get("ranks") or {"fusion": rank},
        images=best_first(text, pictures, weights),
        also_in=[AlsoIn(**place) for place in meta.get("also_in") or ()],
        context=Surroundings(**context) if context else None,
    )
