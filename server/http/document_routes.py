"""Routes that list, read, edit and delete documents."""

import mimetypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.document_page import Wanted
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.documents import DEGRADED_STAGES
from khub.components.text.hidden_characters import without_hidden
from khub.components.text.time_marks import first_mark
from khub.server.http.arguments import DocId, Paged, typed_filters
from khub.server.http.cursors import cursor_at, position_of
from khub.server.http.document_shapes import (
    Chunk,
    ChunkPage,
    DeletedDocument,
    Document,
    DocumentEdit,
    DocumentPage,
    DocumentsQuery,
    EditedDocument,
    Section,
    SectionPage,
    SectionsQuery,
)
from khub.server.http.documented import list_problems, of_type, problems
from khub.server.http.named_collection import is_being_made, there
from khub.server.http.tagged import IfMatch, is_known, require_match, shape_tag, tagged, tagged_bytes
from khub.server.jobs.deletions import delete_known_documents
from khub.server.library.edits import edit_document
from khub.server.reads.document_summary import summary_of
from khub.server.reads.hub_reads import collections, document_of, reader
from khub.server.reads.joined_text import joined
from khub.server.reads.listed import filter_notes
from khub.server.reads.listed_document import listed
from khub.server.reads.original_file import original_of
from khub.server.reads.outline import outline

MARKDOWN = "text/markdown"
SHOWN_TYPES = (
    "application/pdf", "image/png", "image/jpeg", "text/plain",
    "audio/mpeg", "audio/x-wav", "audio/mp4", "audio/ogg", "audio/flac", "audio/x-flac", "video/mp4", "video/webm",
)  # fmt: skip
"""Types that a browser may be told; anything else is bytes to it."""
SANDBOX = "default-src 'none'; sandbox"


class DocumentRoutes:
    """`/documents` and what lies below it."""

    def __init__(self) -> None:
        self._editing = threading.Lock()

    def router(self) -> APIRouter:
        """Return the routes."""
        router = APIRouter(prefix="/documents", tags=["documents"])
        one, get, known = "/{doc_id}", router.get, list_problems(404)
        get("", response_model=DocumentPage, responses=known, summary="List")(self.list)
        get(one, response_model=Document, responses=known, summary="Show a document")(self.show)
        get(f"{one}/sections", response_model=SectionPage, responses=known, summary="Show its outline")(self.sections)
        get(f"{one}/chunks", response_model=ChunkPage, responses=known, summary="Show its passages")(self.chunks)
        text = of_type(MARKDOWN, "The text that was read.") | known
        get(f"{one}/markdown", response_class=Response, responses=text, summary="Read its text")(self.markdown)
        file = of_type("application/octet-stream", "The file.", *SHOWN_TYPES)
        file |= {206: {**file[200], "description": "A part of it."}, **list_problems(400, 404, 416)}
        came = "Fetch the file that it was made from"
        get(f"{one}/original", response_class=Response, responses=file, summary=came)(self.original)
        edits = problems(400, 404, 409, 412)
        router.patch(one, response_model=EditedDocument, responses=edits, summary="Edit")(self.edit)
        router.delete(one, response_model=DeletedDocument, responses=edits, summary="Delete")(self.delete)
        return router

    def list(self, query: Annotated[DocumentsQuery, Query()], request: Request) -> Response:
        """List the documents of a collection; none yet of one that a job is about to make."""
        if query.collection is not None and not collections().exists(query.collection):
            if is_being_made(query.collection):
                return tagged(request, DocumentPage(collection=query.collection, total=0, documents=[]))
            there(query.collection)
        name = collections().resolve(query.collection)
        sort, descending = query.sort.removeprefix("-"), query.sort.startswith("-")
        wanted = Wanted(name, typed_filters(query.filters), query.text or None, query.status, sort, descending)
        of = ["documents", vars(wanted)]
        kind = int if sort in ("pages", "chunks") else str
        after: Any = position_of(query.cursor, of, kind, str)
        total, rows = reader().page(wanted, after, query.limit + 1)
        shown = rows[: query.limit]
        more = len(rows) > query.limit
        page = DocumentPage(
            collection=name,
            total=total,
            documents=[listed(row) for row in shown],
            next_cursor=cursor_at((shown[-1]["sort_key"], shown[-1]["doc_id"]), of) if more else None,
            notes=filter_notes(name, wanted.filters),
        )
        return tagged(request, page)

    def show(self, doc_id: DocId, request: Request) -> Response:
        """Say what is known of a document."""
        return tagged(request, _document(doc_id))

    def sections(self, doc_id: DocId, query: Annotated[SectionsQuery, Query()], request: Request) -> Response:
        """List the sections of a document down to a depth, in the order of its text."""
        document_of(doc_id)
        of = ["sections", doc_id, query.depth]
        begin = _offset(query.cursor, of)
        sections = outline(reader().sections(doc_id), query.depth)
        end = begin + query.limit
        page = SectionPage(
            doc_id=doc_id,
            total=len(sections),
            sections=[Section(**section) for section in sections[begin:end]],
            next_cursor=cursor_at((end,), of) if len(sections) > end else None,
        )
        return tagged(request, page)

    def chunks(self, doc_id: DocId, query: Annotated[Paged, Query()], request: Request) -> Response:
        """List the passages of a document, in the order of its text."""
        total = document_of(doc_id)["chunks"]
        of = ["chunks", doc_id]
        (after,) = position_of(query.cursor, of, int) or (-1,)
        found = reader().chunks_after(doc_id, after, query.limit + 1)
        shown = found[: query.limit]
        page = ChunkPage(
            doc_id=doc_id,
            total=total,
            chunks=[_chunk(chunk) for chunk in shown],
            next_cursor=cursor_at((shown[-1].meta["ordinal"],), of) if len(found) > query.limit else None,
        )
        return tagged(request, page)

    def markdown(self, doc_id: DocId, request: Request) -> Response:
        """Return the text of a document, or of those of its passages that the caller may read."""
        document_of(doc_id)
        text = joined(reader().chunks_of_section(doc_id, ""))
        return tagged_bytes(request, text.encode(), MARKDOWN)

    def original(self, doc_id: DocId, request: Request) -> Response:
        """Send the file that a document was made from, for a caller to whom all of it is opened."""
        row = document_of(doc_id)
        path = original_of(row) if reader().document_is_opened(doc_id) else None
        if path is None:
            raise HTTPException(404, "there is no file of this document, or not for this caller")
        headers = {
            "Content-Security-Policy": SANDBOX,
            "ETag": f'"{row["sha256"]}"',
            "Cross-Origin-Resource-Policy": "same-origin",
        }
        if is_known(request, headers["ETag"]):
            return Response(status_code=304, headers=headers)
        name = _file_name(row["source"])
        guessed = mimetypes.guess_type(name)[0]
        media_type = guessed if guessed in SHOWN_TYPES else "application/octet-stream"
        return FileResponse(path, media_type=media_type, filename=name, headers=headers)

    def edit(self, doc_id: DocId, edit: DocumentEdit, response: Response, if_match: IfMatch = None) -> EditedDocument:
        """Edit title, tags, levels and other metadata of a document, for all its passages."""
        given = edit.model_fields_set
        meta: dict[str, Any] = dict(edit.metadata)
        meta |= {"tags": edit.tags} if "tags" in given else {}
        meta |= {ACCESS_FIELD: edit.access_level} if "access_level" in given else {}
        with self._one_by_one() if if_match is not None else nullcontext():
            row = _whole(doc_id)
            require_match(if_match, lambda: _document(doc_id))
            done = edit_document(row, edit.title, meta)
        document = _document(doc_id)
        response.headers["ETag"] = shape_tag(document)
        return EditedDocument(document=document, changed=[*done.changed], rewritten=done.rewritten)

    @contextmanager
    def _one_by_one(self) -> Iterator[None]:
        """Let of two who have seen the same document one come first."""
        with self._editing, open_catalog().database.lock("editing"):
            yield

    def delete(self, doc_id: DocId, if_match: IfMatch = None) -> DeletedDocument:
        """Delete a document: text, vectors, index entries, pictures, and the copy of its file."""
        row = _whole(doc_id)
        require_match(if_match, lambda: _document(doc_id))
        delete_known_documents([doc_id])
        return DeletedDocument.model_validate({k: v for k, v in row.items() if k in DeletedDocument.model_fields})


def _whole(doc_id: str) -> DocumentRow:
    """Return a document that the caller may change."""
    row = document_of(doc_id)
    if not reader().document_is_opened(doc_id):
        raise HTTPException(403, "parts of this document are closed to the caller, who may not change it")
    return row


def _document(doc_id: str) -> Document:
    row = document_of(doc_id)
    more: dict[str, Any] = {key: row[key] for key in ("updated_at", "size", "remedy")}
    opened = reader().document_is_opened(doc_id)
    more["original"] = opened and original_of(row) is not None
    more |= {"degraded": _degraded(row), "sha256": row["sha256"] if opened else None}
    return Document(**summary_of(doc_id), **more)


def _degraded(row: DocumentRow) -> list[str]:
    return list(row["meta"].get(DEGRADED_STAGES) or [])


def _chunk(chunk: Any) -> Chunk:
    meta, text = chunk.meta, chunk.content or ""
    same = {key: meta[key] for key in ("ordinal", "section", "page", "pages", "language", "start", "end")}
    boxes, images = meta.get("boxes") or [], meta.get("image_refs") or []
    said = first_mark(meta.get("time_marks"))
    return Chunk(chunk_id=chunk.id, text=text, boxes=boxes, images=images, time_mark=said, **same)


def _offset(cursor: str | None, of: Any) -> int:
    (begin,) = position_of(cursor, of, int) or (0,)
    found: int = max(0, begin)
    return found


def _file_name(source: str) -> str:
    """Return the last part of a source without anything that hides or reorders text."""
    name = without_hidden(source.replace("\\", "/").rstrip("/").rpartition("/")[2])
    return " ".join(name.split())[:200] or "document"
