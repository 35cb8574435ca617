"""From a mail to the files attached to it, and back, as far as they are opened to the caller."""

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.parts import PART_MARK, file_of_part
from khub.server.reads.hub_reads import reader


def mail_around(row: DocumentRow) -> DocumentRow | None:
    """Return the mail to which a document is attached; None if it is to none that the caller may see."""
    if file_of_part(row["source"]) is None:
        return None
    mail = row["source"].rpartition(PART_MARK)[0]
    return reader().document(doc_id_of(row["collection"], mail))


def attached_to(row: DocumentRow) -> list[DocumentRow]:
    """Return the documents attached to a mail that the caller may see, without those of mails in it, by source."""
    parts = open_catalog().documents.parts_of([row["doc_id"]])
    own = [part["doc_id"] for part in parts if PART_MARK not in part["source"][len(row["source"] + PART_MARK) :]]
    return [found for doc_id in own if (found := reader().document(doc_id)) is not None]
