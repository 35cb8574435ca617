"""What of a document's file is not in its text, as far as the catalog knows."""

from collections import Counter
from dataclasses import dataclass

from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import DEGRADED_STAGES
from khub.server.reads.hub_reads import reader

PAGES = ("needs_ocr", "garbled_pages", "damaged_pages", "empty_pages")
"""Metadata of a document that lists pages, the ones for which something can be done first."""


@dataclass(frozen=True)
class LeftOut:
    """What is missing.

    :param pages: kind, one of `PAGES` -> numbers of pages.
    :param reasons: why pages could not be read by OCR.
    :param stages: stage, reason and number of passages for which something simpler stands in.
    """

    pages: dict[str, list[int]]
    reasons: list[str]
    stages: list[tuple[str, str, int]]

    def __bool__(self) -> bool:
        """Say whether anything is."""
        return bool(self.pages or self.reasons or self.stages)


def left_out(row: DocumentRow) -> LeftOut:
    """Return what is missing of a document; of one that is opened in part, only what its opened passages tell.

    :param row: of the document, from the catalog.
    """
    meta = row["meta"] if reader().document_is_opened(row["doc_id"]) else {}
    pages = {kind: [int(page) for page in meta[kind]] for kind in PAGES if meta.get(kind)}
    stages = _stages(row["doc_id"]) if row["meta"].get(DEGRADED_STAGES) else []
    return LeftOut(pages, [str(reason) for reason in meta.get("ocr_errors") or ()], stages)


def _stages(doc_id: str) -> list[tuple[str, str, int]]:
    counts = Counter(
        (str(entry["stage"]), str(entry["reason"]))
        for chunk in reader().chunks_of_section(doc_id, "")
        for entry in chunk.meta.get("degraded") or ()
    )
    return [(stage, reason, count) for (stage, reason), count in counts.items()]
