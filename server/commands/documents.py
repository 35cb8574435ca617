"""How documents are named and shown on a command line."""

from pathlib import Path

from khub.components.catalog.document_row import DocumentRow
from khub.server.library.failure_groups import without_name
from khub.server.terminal import tell


def tell_none_yet() -> None:
    """Say that there is no collection, where none is, and how to make one."""
    from khub.components.catalog.catalog import open_catalog
    from khub.components.catalog.collections import FIRST_INGEST

    tell(open_catalog().collections.none_yet(), FIRST_INGEST)


def meant(name: str) -> str:
    """Return the name under which the catalog may know a document: relative and home paths made absolute."""
    if not name.startswith((".", "~")):
        return name

    from khub.server.library.source_walk import absolute

    return str(absolute(name))


def shown_source(source: str) -> str:
    """Return a source as short as it can be said from the working folder."""
    path, here = Path(source), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else source


def said_of(row: DocumentRow) -> str:
    """Return a document's title, and why it could not be ingested the last time, or which stages were degraded."""
    from khub.components.catalog.documents import DEGRADED_STAGES

    if not row["error"]:
        stages = (row.get("meta") or {}).get(DEGRADED_STAGES)
        degraded = f"({', '.join(stages)} degraded: ingest again)" if stages else ""
        return " ".join(part for part in (row["title"], degraded) if part)
    error = without_name(row["error"], row["source"])
    trouble = f"{error}: {row['remedy']}" if row["remedy"] else error
    return trouble if row["status"] == "failed" else f"{row['title'] or ''} (not updated: {trouble})".strip()
