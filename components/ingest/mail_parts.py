"""What a writer has to know of mails and the files attached to them."""

from collections.abc import Sequence

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.catalog.document_name import DocumentName
from khub.components.catalog.parts import LEFT, PART_MARK, PARTS, part_source
from khub.components.converters.file_types import CONTAINER_TYPES
from khub.components.degraded_entry import DegradedEntry


def is_mail(new: NewDocument) -> bool:
    """Say whether a document is a mail, an archive or a mailbox, to which other documents may belong."""
    return bool(new.meta.get("doc_type") in CONTAINER_TYPES)


def gone_parts(catalog: Catalog, new: Sequence[NewDocument]) -> list[DocumentName]:
    """Return `doc_id` and `source` of documents whose mail has come in anew, and has such a file no more."""
    gone: dict[str, DocumentName] = {}
    for mail in new:
        rows = catalog.documents.parts_of([mail.doc_id]) if is_mail(mail) else []
        kept = _parts(mail)
        gone |= {row["doc_id"]: row for row in rows if not any(_is_in(row["source"], one) for one in kept)}
    return list(gone.values())


def silent_parts(catalog: Catalog, new: Sequence[NewDocument]) -> list[dict[str, str]]:
    """Return `{"path": source}` of files attached to these mails that neither came in now nor are there already."""
    sources = {source for mail in new for source in _parts(mail)}
    there = {row["source"] for row in catalog.documents.parts_of([mail.doc_id for mail in new])} if sources else set()
    return [{"path": source} for source in sorted(sources - there)]


def left_in_mail(mail: NewDocument) -> list[DegradedEntry]:
    """Return an entry of the report for each reason why files attached to a mail were left out."""
    source, chunks = mail.meta["source"], len(mail.chunks)
    return [
        {
            "stage": "convert", "reason": one["reason"], "remedy": one["remedy"],
            "source": source, "chunks": chunks, "attachments": one["names"], "count": one["count"],
        }
        for one in (mail.extra.get(LEFT) or () if is_mail(mail) else ())
    ]  # fmt: skip


def _is_in(source: str, part: str) -> bool:
    return source == part or source.startswith(part + PART_MARK)


def _parts(new: NewDocument) -> list[str]:
    names = new.extra.get(PARTS) or () if is_mail(new) else ()
    return [part_source(new.meta["source"], name) for name in names]
