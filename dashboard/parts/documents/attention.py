"""What of a document somebody should look at."""

from khub.components.catalog.access import access_levels
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import DEGRADED_STAGES
from khub.components.catalog.parts import shown_name
from khub.components.catalog.scanned_pages import READS_SCANS
from khub.dashboard.language import t
from khub.dashboard.parts.counted import counted
from khub.dashboard.parts.table import Badge, Cell

LOST = ("damaged_pages", "garbled_pages")
MOST_CHARACTERS = 160
"""All of a reason stands with the document."""


def attention(row: DocumentRow) -> Cell:
    """Return what needs attention, as a cell; of whom levels restrict nobody is told of pages that may be closed.

    :param row: of the document, from the catalog.
    """
    meta = row["meta"] if access_levels() is None else {}
    waits = bool(meta.get("needs_ocr")) or (row["remedy"] or "").startswith(READS_SCANS)
    lost = len({page for kind in LOST for page in meta.get(kind) or ()})
    badges = {
        Badge(t("failed", "失败"), "bad"): row["error"] and not waits,
        Badge(t("waits for OCR", "等待 OCR"), "warn"): waits,
        Badge(t(counted(lost, "page", "pages") + " missing", f"缺 {lost:,} 页"), "warn"): lost,
        Badge(t("degraded", "已降级"), "warn"): row["meta"].get(DEGRADED_STAGES),
    }
    reason = (row["error"] or "").removeprefix(f"{shown_name(row['source'])!r} ")  # which stands there already
    why = f"{reason} → {row['remedy'] or ''}" if reason else ""
    small = why if len(why) <= MOST_CHARACTERS else f"{why[:MOST_CHARACTERS]}…"
    return Cell(badges=[badge for badge, is_so in badges.items() if is_so], small=small)
