"""The text around a passage in its document."""

from haystack import Document

from khub.components.answers.bold import FENCE
from khub.components.answers.excerpt import ELLIPSIS
from khub.components.text.sentence_ends import sentence_spans


def surroundings(passage: Document, chunks: list[Document], characters: int) -> dict[str, str]:
    """Return the text before and after a passage, and how its section begins.

    What chunks repeat of each other is left out, and text is cut between sentences.

    :param passage: a chunk; `meta` with `start` and `end`, and `parent_start`, where its section begins.
    :param chunks: of its document, those around it, itself too, in order.
    :param characters: length of all three together, at most: `before` and `section` have a third each, `after` has the
        rest.
    :returns: `before`, `after` and `section`: the beginning of the passage's section, empty where `before` or the
        passage itself holds it, or where it is not among the chunks.
    """
    start, end = passage.meta["start"], passage.meta["end"]
    first, last = min(chunk.meta["start"] for chunk in chunks), max(chunk.meta["end"] for chunk in chunks)
    before = _end_of(_text(chunks, first, start), characters // 3)
    section_start = passage.meta.get("parent_start", start)
    above = _text(chunks, section_start, start) if first <= section_start < start else ""
    hidden = len(above) - len(before)
    section = _beginning_of(above, min(hidden, characters // 3)) if hidden > 0 else ""
    after = _beginning_of(_text(chunks, end, last), characters - len(before) - len(section))
    return {"before": before, "after": after, "section": section}


def _text(chunks: list[Document], first: int, last: int) -> str:
    """Return the document's text between two offsets, as far as the chunks hold it."""
    parts: list[str] = []
    reached = first
    for chunk in chunks:
        start, end = max(chunk.meta["start"], reached), min(chunk.meta["end"], last)
        # of a chunk whose text was changed, nobody knows what stands where
        whole = len(chunk.content or "") == chunk.meta["end"] - chunk.meta["start"]
        if start < end and whole:
            missing = start - reached if parts else 0  # white space, which chunks neither begin nor end with
            gap = "\n\n" if missing > 1 else " " * missing
            parts.append(gap + (chunk.content or "")[start - chunk.meta["start"] : end - chunk.meta["start"]])
            reached = end
    return "".join(parts).strip()


def _beginning_of(text: str, room: int) -> str:
    if len(text) <= room and not _cuts_code(text):
        return text
    kept = text[: max((end for _, end in sentence_spans(text) if end + len(ELLIPSIS) <= room), default=0)]
    if _cuts_code(kept):
        kept = kept[: list(FENCE.finditer(kept))[-1].start()]
    return kept.rstrip() + ELLIPSIS if kept.strip() else ""


def _end_of(text: str, room: int) -> str:
    if len(text) <= room and not _cuts_code(text):
        return text
    fitting = (start for start, _ in sentence_spans(text) if len(text) - start + len(ELLIPSIS) <= room)
    kept = text[min(fitting, default=len(text)) :]
    if _cuts_code(kept):
        kept = kept[next(FENCE.finditer(kept)).end() :]
    return ELLIPSIS + kept.lstrip() if kept.strip() else ""


def _cuts_code(text: str) -> bool:
    """Whether a code block begins or ends outside of the text: what is shown with it would be taken for code."""
    return len(FENCE.findall(text)) % 2 == 1
