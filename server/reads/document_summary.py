"""What is known of a document, in short."""

from khub.components.catalog.document_row import DocumentRow
from khub.components.errors import QueryError
from khub.server.reads.document_report import DocumentReport
from khub.server.reads.hub_reads import catalog_of_hub, document_meant, only_one, reader, title_of, user_metadata
from khub.server.reads.outline import main_headings

NAMED_SECTIONS = 30
CREATED_KEYS = ("created", "created_at", "date", "modified")


def summary_of(doc_id: str | None = None, sha256: str | None = None, source: str | None = None) -> DocumentReport:
    """Return what is known of a document, named in one of three ways.

    :param doc_id: its id.
    :param sha256: of its file.
    :param source: its path, the last part of it, its title, or the start of its id.
    :raises KhubError: if it is named in none or several ways, is not there, or several are meant.
    """
    row = _meant(doc_id, sha256, source)
    meta = user_metadata(row)
    tags = meta.pop("tags", None) or []
    return {
        "doc_id": row["doc_id"],
        "collection": row["collection"],
        "source": row["source"],
        "doc_type": row["doc_type"],
        "language": row["language"],
        "ingested_at": row["ingested_at"],
        "pages": row["pages"],
        "chunks": row["chunks"],
        "status": row["status"],
        "title": title_of(row),
        "summary": str(meta.pop("summary", "") or ""),
        "tags": [str(tag) for tag in tags] if isinstance(tags, list) else [str(tags)],
        "created": next((str(meta[key]) for key in CREATED_KEYS if meta.get(key)), None),
        "average_chunk_characters": reader().average_chunk(row["doc_id"]),
        "images": len(catalog_of_hub().images.opened(row["doc_id"])),
        "error": row["error"],
        "sections": main_headings(reader().sections(row["doc_id"]))[:NAMED_SECTIONS],
        "metadata": meta,
    }


def _meant(doc_id: str | None, sha256: str | None, source: str | None) -> DocumentRow:
    if sum(name is not None for name in (doc_id, sha256, source)) != 1:
        raise QueryError("a document has to be named in one way", "give doc_id, or sha256, or source")
    if doc_id is not None or source is not None:
        return document_meant(doc_id or source or "")
    return only_one(reader().named(sha256=(sha256 or "").lower()), "sha256", sha256 or "")
