"""What a list says of collections and documents."""

from typing import Any

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collection_overview import CollectionOverview
from khub.components.catalog.document_row import DocumentRow
from khub.components.query.unknown_fields import unknown_fields, unknown_fields_note
from khub.components.text.hidden_characters import in_quotes
from khub.server.graphs.load import list_graphs
from khub.server.reads.collection_entry import CollectionEntry
from khub.server.reads.document_entry import DocumentEntry
from khub.server.reads.hub_reads import reader, title_of

NAMED_TYPES, NAMED_TAGS = 4, 6


def collection_row(name: str, graphs: list[str]) -> CollectionEntry:
    """Return what is said of a collection.

    :param graphs: that can answer from it, see `query_graphs`.
    """
    about = reader().overview(name)
    return {
        "name": name,
        "description": _description(about),
        "documents": about["documents"],
        "chunks": about["chunks"],
        "languages": about["languages"],
        "changed_at": about["changed_at"],
        "graphs": graphs,
    }


def query_graphs() -> list[str]:
    """Return the names of the graphs that answer questions."""
    return graphs_of("query")


def graphs_of(kind: str) -> list[str]:
    """Return the names of the graphs of a kind."""
    return [info.name for info in list_graphs() if info.kind == kind]


def document_row(row: DocumentRow) -> DocumentEntry:
    """Return what a list says of a document.

    :param row: of the document, from the catalog.
    """
    return {
        "doc_id": row["doc_id"],
        "title": title_of(row),
        "source": row["source"],
        "doc_type": row["doc_type"],
        "language": row["language"],
        "pages": row["pages"],
        "chunks": row["chunks"],
        "status": row["status"],
        "error": row["error"],
        "ingested_at": row["ingested_at"],
    }


def filter_notes(collection: str, filters: dict[str, Any] | None) -> list[str]:
    """Say which fields of a filter no document of a collection has, and which there are; nothing where all is known.

    :param collection: a name that exists for the caller.
    :param filters: a Haystack filter that is right.
    """
    said = unknown_fields_note(*unknown_fields(open_catalog(), collection, filters)) if filters else ""
    return [said] if said else []


def _description(about: CollectionOverview) -> str:
    types, tags = ", ".join(about["doc_types"][:NAMED_TYPES]), ", ".join(map(in_quotes, about["tags"][:NAMED_TAGS]))
    return "; ".join(part for part in (types, f"about {tags}" if tags else "") if part)
