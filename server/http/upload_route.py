"""`POST /documents`: files that are sent, or a text with a name, become documents."""

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import portalocker
from fastapi import APIRouter
from pydantic import Field, ValidationError
from python_multipart.multipart import parse_options_header
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.collections import DEFAULT_COLLECTION
from khub.components.disk_full import told_when_full
from khub.components.errors import QueryError
from khub.components.home import hub_home
from khub.components.private_files import owners_alone
from khub.server.graphs.extensions import extensions_of
from khub.server.http.arguments import Line, Name, PlainJson, Strict
from khub.server.http.asked_ingests import ask_for_sent
from khub.server.http.documented import problems
from khub.server.http.form_files import FormFiles
from khub.server.http.job_routes import Job, accepted
from khub.server.http.problems import invalid
from khub.server.http.whole_request import told_when_cut
from khub.server.jobs.service_jobs import new_job_id, started_with
from khub.server.library.incoming_files import FILES_AT_ONCE, IncomingFiles, largest_file
from khub.server.library.ingest_request import IngestRequest, known_ingest_graph, metadata_of
from khub.server.library.uploads import incoming, safe_path

LARGEST_TEXT = 20_000_000
"""Bytes of a text that is sent as JSON: it is held in memory, several times over; a file is not."""
KEY_HOURS = 24
FILES, FIELDS = "files", ("collection", "graph", "meta")
FORM_SCHEMA = {
    "type": "object",
    "required": ["files"],
    "properties": {
        "files": {"type": "array", "minItems": 1, "items": {"type": "string", "format": "binary"}},
        "collection": {"type": "string"},
        "graph": {"type": "string"},
        "meta": {"type": "string", "description": "A JSON object."},
    },
}


class TextDocument(Strict):
    """A document that is sent as text."""

    source: Line = Field(description="Its name; the same again replaces it.")
    text: str = Field(description="The request has 20 MB at most: send what is larger as a file.")
    collection: Name = DEFAULT_COLLECTION
    graph: Line = "ingest"
    meta: PlainJson = Field(default_factory=dict)


class UploadRoute:
    """Takes files, and lets a job ingest them."""

    def router(self) -> APIRouter:
        """Return the route."""
        router = APIRouter(tags=["documents"])
        form, text = {"schema": FORM_SCHEMA}, {"schema": TextDocument.model_json_schema()}
        key = {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "maxLength": 200}}
        taken = {"required": True, "content": {"multipart/form-data": form, "application/json": text}}
        more: Any = {"openapi_extra": {"requestBody": taken, "parameters": [key]}, "responses": problems(400, 409, 415)}
        router.post("/documents", status_code=202, response_model=Job, summary="Send documents", **more)(self.take)
        return router

    async def take(self, request: Request) -> Response:
        """Take what is sent, and answer with the job that ingests it."""
        kind, options = parse_options_header(request.headers.get("content-type", ""))
        largest = largest_file()
        most = FILES_AT_ONCE * largest
        if int(request.headers.get("content-length", 0)) > most:
            raise HTTPException(413, f"the request is larger than {most // 1_000_000} MB")
        key = request.headers.get("idempotency-key")
        if key is not None and not 0 < len(key) <= 200:
            raise QueryError("Idempotency-Key is empty or too long", "give 1 to 200 characters")
        job_id = new_job_id()
        with told_when_full(hub_home()), told_when_cut(), incoming(job_id) as folder:
            if kind == b"multipart/form-data":
                form = FormFiles(IncomingFiles(folder, largest), options.get(b"boundary", b""), most, FILES, FIELDS)
                return await self._of_form(request, form, job_id, key)
            if kind == b"application/json":
                return await self._of_text(request, folder, job_id, key, min(largest, LARGEST_TEXT))
        raise HTTPException(415, "the body has to be multipart/form-data or application/json")

    async def _of_form(self, request: Request, form: FormFiles, job_id: str, key: str | None) -> Response:
        await form.read(request.stream())
        if not form.files.names:
            raise QueryError("there are no files", f"send them in the field {FILES!r}")
        given = {name: form.fields[name] for name in FIELDS[:2] if form.fields.get(name)}
        wanted = IngestRequest(**given, meta=metadata_of(form.fields.get("meta", "")))
        return await asyncio.to_thread(_ingested, wanted, form.files.parts, job_id, key, form.hash.hexdigest())

    async def _of_text(self, request: Request, folder: Path, job_id: str, key: str | None, largest: int) -> Response:
        data = bytearray()
        async for block in request.stream():
            data += block
            if len(data) > largest:
                raise HTTPException(413, f"the text is larger than {largest // 1_000_000} MB: send it as a file")
        try:
            sent = TextDocument.model_validate_json(bytes(data))
            text = sent.text.encode()
        except ValidationError as error:
            return invalid(error)
        except UnicodeEncodeError as error:
            raise QueryError("the text holds half a character", "send whole ones") from error
        name, part = safe_path(sent.source), folder / "0"
        await asyncio.to_thread(_write, part, text)
        named = await asyncio.to_thread(_with_extension, name, sent.graph)
        wanted = IngestRequest(sent.collection, sent.graph, sent.meta)
        content = hashlib.sha256(data).hexdigest()
        return await asyncio.to_thread(_ingested, wanted, [(part, named)], job_id, key, content)


def _with_extension(name: str, graph: str) -> str:
    """Return the name of a text; that of Markdown where its extension is of no kind that the graph reads."""
    return name if Path(name).suffix.lower() in extensions_of(known_ingest_graph(graph)) else f"{name}.md"


def _ingested(
    wanted: IngestRequest, parts: list[tuple[Path, str]], job_id: str, key: str | None, content: str
) -> Response:
    """Keep files that have come, and let a job ingest them; the one of an earlier request, where it is the same."""
    with nullcontext() if key is None else _one_with_a_key():
        return _begun(wanted, parts, job_id, key, content)


@contextmanager
def _one_with_a_key() -> Iterator[None]:
    """Hold a lock, so that of two requests that come at once with one key the second finds the job of the first."""
    file = portalocker.Lock(hub_home() / "incoming" / "keys.lock", "a", timeout=60, opener=owners_alone)
    with file, open_catalog().database.lock("keys"):
        yield


def _begun(
    wanted: IngestRequest, parts: list[tuple[Path, str]], job_id: str, key: str | None, content: str
) -> Response:
    if key is not None:
        since = (datetime.now(UTC) - timedelta(hours=KEY_HOURS)).isoformat()
        before = started_with(key, since)
        if before is not None and before.get("content") == content:
            return accepted(before)
        if before is not None:
            raise QueryError("this Idempotency-Key came with another content", "take a new one for each request")
    return accepted(ask_for_sent(wanted, parts, job_id, key, content))


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb", opener=owners_alone) as stream:
        stream.write(data)
