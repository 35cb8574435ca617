"""The page on which the evidence of a passage stands."""

from bisect import bisect_right

from haystack import Document


def evidence_page(passage: Document, evidence: str) -> int | None:
    """Return the page of a sentence of a passage, from 1; where that is not known, the one with most of the passage.

    :param passage: with `page`, `pages` and `page_breaks` in its metadata (see `components.splitters.chunks`); without
        pages None is returned. The breaks of a text that a model has refined are those of another text.
    :param evidence: as it stands in the passage's content, or "".
    """
    meta, page = passage.meta, passage.meta.get("page")
    breaks, at = meta.get("page_breaks"), (passage.content or "").find(evidence) if evidence else -1
    if page is None or not breaks or at < 0 or meta.get("refined"):
        return page
    return int(meta["pages"][0]) + bisect_right(breaks, at)
