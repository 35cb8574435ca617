"""The image of a page, with a passage marked, as a person would look at it."""

import json
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import SourceError
from khub.server.own_module import command_of
from khub.server.reads.hub_reads import NotThereError
from khub.server.reads.original_file import original_of

LONGEST_SIDE = 1024
READABLE_SIDE = 1600
TIME_LIMIT_S = 20


def is_drawable(row: DocumentRow) -> bool:
    """Say whether a document's pages can be drawn: those of a PDF, and of a picture, can."""
    return row["doc_type"] in {"pdf", "image"}


@dataclass(frozen=True)
class Sheet:
    """A page as a picture without marks, and where on it the lines of a text stand.

    :param width: in points; of a picture in its pixels.
    :param evidence: boxes: left, top, right, bottom in points.
    """

    webp: bytes
    width: float
    height: float
    evidence: list[list[float]]


def page_image(
    row: DocumentRow,
    page: int,
    boxes: list[list[float]],
    longest: int = LONGEST_SIDE,
    evidence: str = "",
) -> bytes:
    """Return a page of a document as PNG.

    :param row: of the document, from the catalog.
    :param page: from 1.
    :param boxes: left, top, right, bottom in points of what is to be marked; of a picture in its pixels.
    :param longest: the longest side in pixels.
    :param evidence: what of the marked text is marked more strongly, where the page holds it as text.
    :raises KhubError: if there is no such page, its file is gone or has changed, or it cannot be drawn.
    """
    return _drawn(row, page, boxes=boxes, longest=longest, evidence=evidence, marked=True)[1]


def page_sheet(row: DocumentRow, page: int, boxes: list[list[float]], evidence: str = "") -> Sheet:
    """Return a page of a document without marks, large enough to be read.

    :param boxes: of the passage within which the evidence is looked for; empty for the whole page.
    :raises KhubError: as `page_image` does.
    """
    drawn = _drawn(row, page, boxes=boxes, longest=READABLE_SIDE, evidence=evidence, marked=False)
    return Sheet(drawn[1], **drawn[0])


def _drawn(row: DocumentRow, page: int, **how: Any) -> tuple[dict[str, Any], bytes]:
    if row["pages"] and page > row["pages"]:
        raise NotThereError(f"there is no page {page}", f"the document has {row['pages']} pages", code="page_unknown")
    path = _picture_of(row, page) if row["doc_type"] == "image" else original_of(row)
    if path is None:
        raise SourceError(
            f"{row['source']!r} is gone or has changed since it was read", "ingest it again", code="source_changed"
        )
    request = json.dumps({"path": str(path), "page": page, **how})
    try:
        done = subprocess.run(
            command_of("khub.server.reads.page_render", request),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceError(
            f"page {page} took longer than {TIME_LIMIT_S} s to draw", "read its text instead", code="source_timeout"
        ) from error
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"exit code {done.returncode}"
        raise SourceError(f"page {page} of {row['source']!r} cannot be drawn ({reason})", "read its text instead")
    about, _, picture = done.stdout.partition(b"\n")
    return json.loads(about), picture


def _picture_of(row: DocumentRow, page: int) -> Path | None:
    """Return the file of a page of a picture: it stands upright, which the original may not."""
    image_id = f"{row['doc_id']}_{page}_1"
    picture = open_catalog().images.get([image_id]).get(image_id)
    return Path(picture["path"]) if picture else None


def png_size(data: bytes) -> tuple[int, int]:
    """Return the width and height of a PNG."""
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def boxes_on(chunk: Any, page: int) -> list[list[float]]:
    """Return the boxes of a passage on a page: left, top, right, bottom in points."""
    return [list(box[1:]) for box in chunk.meta.get("boxes") or [] if box[0] == page]
