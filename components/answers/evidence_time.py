"""The time of a recording at which the evidence of a passage is said."""

from haystack import Document

from khub.components.text.link_targets import LONGEST_SHOWN, without_targets
from khub.components.text.time_marks import first_mark, second_at, time_mark


def evidence_time(passage: Document, evidence: str) -> str | None:
    """Return when a sentence of a passage is said, such as `12:40`; where that is not known, when the passage begins.

    :param passage: with `time_marks` in its metadata (see `khub.components.splitters.chunks`); None without. Those of a
        text that a model has refined are those of another text.
    :param evidence: as it stands in the passage's shown text, or "".
    """
    meta, content = passage.meta, passage.content or ""
    marks = meta.get("time_marks")
    if not marks:
        return None
    at = without_targets(content, LONGEST_SHOWN).find(evidence) if evidence and not meta.get("refined") else -1
    moved = [[len(without_targets(content[:offset], LONGEST_SHOWN)), second] for offset, second in marks]
    second = second_at(moved, at) if at >= 0 else None
    return first_mark(marks) if second is None else time_mark(second)
