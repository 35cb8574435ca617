"""The file that a document was made from."""

import hashlib
from pathlib import Path

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow


def original_of(row: DocumentRow) -> Path | None:
    """Return the hub's own copy of a document's file, or the file itself while it is still the same; None else.

    :param row: of the document, from the catalog.
    """
    sha256, source = row["sha256"], Path(row["source"])
    if not sha256:
        return None
    kept = open_catalog().originals.found(sha256, row["source"])
    if kept is not None:
        return kept
    return source if _is_same(source, sha256, row["size"]) else None


def _is_same(file: Path, sha256: str, size: int | None) -> bool:
    try:
        if not file.is_file() or (size is not None and file.stat().st_size != size):
            return False
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == sha256
    except OSError:
        return False
