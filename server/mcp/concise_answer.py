"""What a concise answer says as data."""

from khub.components.answer import Answer, Citation
from khub.server.mcp.cited_answer import CitedAnswer, CitedPassage

FIRST_CHARACTERS, EVIDENCE_CHARACTERS = 300, 160
"""Of the evidence of the first passage, and of each other."""
DIGITS = 4


def concise_answer(answer: Answer, says_more: bool) -> CitedAnswer:
    """Return an answer without what its text says, but with the line of each passage that answers.

    Some clients show a model the data alone: each statement has its evidence there.

    :param says_more: whether the answer is more than a list of its passages, which the data hold then, too.
    """
    return CitedAnswer(
        abstained=answer.abstained,
        confidence=round(answer.confidence, DIGITS),
        answer=answer.answer if says_more else "",
        citations=[_cited(citation) for citation in answer.citations],
        collection=answer.collection,
        graph=answer.graph,
        trace_id=answer.trace_id,
        degraded=answer.degraded,
        unknown=list(dict.fromkeys(name for leg in answer.legs for name in leg.unknown)),
        not_shown=answer.not_shown,
        filters=[one for one in answer.filters if one.dropped or one.unmatched or one.unknown_fields],
        unsupported=answer.unsupported or None,
    )


def _cited(citation: Citation) -> CitedPassage:
    return CitedPassage(
        id=citation.id,
        chunk_id=citation.chunk_id,
        doc_id=citation.doc_id,
        source="" if citation.url else citation.source,
        url=citation.url,
        title=citation.title,
        page=citation.page,
        time_mark=citation.time_mark,
        evidence=_evidence(citation),
        collection=citation.collection,
    )


def _evidence(citation: Citation) -> str:
    from khub.components.answers.answer_line import answer_line
    from khub.components.answers.excerpt import excerpt

    line = answer_line(citation) or " ".join(citation.text.split())
    return excerpt(line, FIRST_CHARACTERS if citation.id == 1 else EVIDENCE_CHARACTERS)
