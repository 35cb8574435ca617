"""`POST /api/v1/files/`: a file of a source that a program keeps a collection like."""

import asyncio
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import ValidationError
from python_multipart.multipart import parse_options_header
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from khub.components.catalog.access import ACCESS_FIELD
from khub.components.catalog.documents import doc_id_of
from khub.components.catalog.found_metadata import SYNCED_HASH
from khub.components.catalog.write_access import only_level
from khub.components.disk_full import told_when_full
from khub.components.errors import QueryError
from khub.components.home import hub_home
from khub.server.http.asked_ingests import ask_for_sent
from khub.server.http.documented import problems
from khub.server.http.form_files import LONGEST_FIELD, FormFiles
from khub.server.http.open_webui.shapes import SentFile, SentMetadata
from khub.server.http.open_webui.sync_routes import BASE
from khub.server.http.problems import invalid
from khub.server.http.whole_request import told_when_cut
from khub.server.jobs.service_jobs import new_job_id
from khub.server.jobs.synced_files import place_of
from khub.server.library.incoming_files import IncomingFiles, largest_file
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.uploads import incoming, uploads_of

FILE, METADATA = "file", "metadata"
FORM: dict[str, Any] = {
    "type": "object",
    "required": [FILE, METADATA],
    "properties": {
        FILE: {"type": "string", "format": "binary"},
        METADATA: {"type": "string", "description": "JSON: `knowledge_id`, `file_hash`, `directory_id`."},
    },
}


class SyncedFileRoute:
    """Takes a file, and lets a job ingest it."""

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["open webui"])
        body = {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": FORM}}}}
        more: Any = {"openapi_extra": body, "responses": problems(400, 409, 415)}
        router.post(f"{BASE}/files/", response_model=SentFile, summary="Sync a file", **more)(self.take)
        return router

    async def take(self, request: Request) -> Response:
        """Take a file, and answer with what its document will be."""
        kind, options = parse_options_header(request.headers.get("content-type", ""))
        if kind != b"multipart/form-data":
            raise HTTPException(415, "the body has to be multipart/form-data")
        job_id, largest = new_job_id(), largest_file()
        with told_when_full(hub_home()), told_when_cut(), incoming(job_id) as folder:
            files, boundary = IncomingFiles(folder, largest), options.get(b"boundary", b"")
            form = FormFiles(files, boundary, largest + LONGEST_FIELD, FILE, (METADATA,))
            await form.read(request.stream())
            if len(files.names) != 1:
                raise QueryError(f"there are {len(files.names)} files", f"send one in the field {FILE!r}")
            try:
                said = SentMetadata.model_validate_json(form.fields.get(METADATA, "{}"))
            except ValidationError as error:
                return invalid(error)
            return await asyncio.to_thread(_ingested, said, files, job_id)


def _ingested(said: SentMetadata, files: IncomingFiles, job_id: str) -> Response:
    """Keep a file that has come in the place of its source, and let a job ingest it."""
    ((part, name),) = files.parts
    name = name.replace("%22", "")  # so a form writes quotes, which no name keeps
    place, level = place_of(said.directory_id, name), only_level()
    meta: dict[str, Any] = {SYNCED_HASH: said.file_hash, **({} if level is None else {ACCESS_FIELD: level})}
    ask_for_sent(IngestRequest(said.knowledge_id, meta=meta), [(part, place)], job_id)
    doc_id = doc_id_of(said.knowledge_id, str(uploads_of(said.knowledge_id) / place))
    return JSONResponse(SentFile(id=doc_id, filename=Path(place).name, job_id=job_id).model_dump())
