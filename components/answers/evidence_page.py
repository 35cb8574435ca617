"""The page on which the evidence of a passage stands."""

from bisect import bisect_right

from haystack import Document

from khub.components.text.link_targets import LONGEST_SHOWN, without_targets


def evidence_page(passage: Document, evidence: str) -> int | None:
    """Return the page of a sentence of a passage, from 1; where that is not known, the one with most of the passage.

    :param passage: with `page`, `pages` and `page_breaks` in its metadata (see `khub.components.splitters.chunks`);
        without pages None is returned. The breaks of a text that a model has refined are those of another text.
    :param evidence: as it stands in the passage's shown text, or "".
    """
    meta, page, content = passage.meta, passage.meta.get("page"), passage.content or ""
    breaks = meta.get("page_breaks")
    if page is None or not breaks or not evidence or meta.get("refined"):
        return page
    # as it is shown, where it is looked for
    at = without_targets(content, LONGEST_SHOWN).find(evidence)
    ends = [len(without_targets(content[:end], LONGEST_SHOWN)) for end in breaks]
    return int(meta["pages"][0]) + bisect_right(ends, at) if at >= 0 else page
