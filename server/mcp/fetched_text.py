"""The text of a document as `fetch` gives it: whole, or one long part after the other."""

import re
from typing import TYPE_CHECKING

from khub.components.errors import CollectionError

if TYPE_CHECKING:
    from haystack import Document

ROOM_TOKENS = 20_000
"""Of one part: clients take no more than some 25,000 of a result."""
FROM = "#"
"""Between the id of a document and the ordinal of the passage with which a part begins."""
PART = re.compile(rf"[0-9a-f]{{32}}(?:{FROM}[0-9]{{1,9}})?")
SHOWN = 100
"""Characters of a wrong id that are repeated."""


def part_id(doc_id: str, ordinal: int) -> str:
    """Return the id of what of a document begins with a passage."""
    return f"{doc_id}{FROM}{ordinal}" if ordinal else doc_id


def parsed_id(part: str) -> tuple[str, int]:
    """Return the document and the ordinal that an id names.

    :raises CollectionError: if it is none.
    """
    if not PART.fullmatch(part):
        raise CollectionError(
            f"{part[:SHOWN]!r} is no id that fetch knows",
            "call search, and give the id of one of its results, or the next_id of the part before",
            code="document_unknown",
        )
    doc_id, _, ordinal = part.partition(FROM)
    return doc_id, int(ordinal or 0)


def fetched(doc_id: str, ordinal: int) -> tuple[str, str | None]:
    """Return the text of a document from a passage on, and the id of what follows; None at its end.

    :raises CollectionError: if there is no text from there on that the caller may read.
    """
    from khub.server.mcp.passages import fitting
    from khub.server.reads.hub_reads import reader
    from khub.server.reads.joined_text import joined

    chunks = [chunk for chunk in reader().chunks_of_section(doc_id, "") if chunk.meta["ordinal"] >= ordinal]
    if not chunks:
        raise CollectionError("the document has no text there", "fetch an id of search", code="section_unknown")
    shown = fitting(chunks, ROOM_TOKENS)
    return joined(chunks[:shown]), part_id(doc_id, chunks[shown].meta["ordinal"]) if shown < len(chunks) else None


def id_of_hit(chunk: "Document") -> str:
    """Return the id of the part of a document that holds a passage: the whole where that is not too long."""
    from khub.server.mcp.passages import fitting
    from khub.server.reads.hub_reads import reader

    doc_id, ordinal = chunk.meta["doc_id"], chunk.meta["ordinal"]
    before = reader().chunks_between(doc_id, 0, ordinal)
    return part_id(doc_id, 0 if fitting(before, ROOM_TOKENS) == len(before) else ordinal)
