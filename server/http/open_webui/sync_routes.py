"""The routes by which a program keeps a collection like its source, as it would a knowledge base of Open WebUI."""

from pathlib import PurePosixPath
from typing import Annotated, Any

from fastapi import APIRouter, Path

from khub.components.catalog.access import require_collection
from khub.components.catalog.document_row import DocumentRow
from khub.components.catalog.found_metadata import SYNCED_HASH
from khub.server.http.documented import problems
from khub.server.http.named_collection import there
from khub.server.http.open_webui.shapes import (
    CleanedUp,
    Cleanup,
    Diff,
    FileFacts,
    GoneFile,
    KnowledgeBase,
    KnowledgeFile,
    KnowledgeFiles,
    Manifest,
    Place,
    StaleFile,
)
from khub.server.http.route_access import READS
from khub.server.jobs.deletions import delete_known_documents
from khub.server.jobs.synced_files import FOLDER, SourceFile, difference, synced_documents
from khub.server.mcp.arguments import NAME_CHARACTERS
from khub.server.reads.hub_reads import NotThereError, reader
from khub.server.reads.listed import collection_row

BASE = "/api/v1"
REPLACED = "replaced-"
"""Before the id of a document that stays until the file which replaces it has come."""
KnowledgeId = Annotated[str, Path(min_length=1, max_length=NAME_CHARACTERS, description="Name of a collection.")]


class SyncRoutes:
    """`/api/v1/knowledge/{id}` and what lies below it."""

    def router(self) -> APIRouter:
        """Return the routes."""
        router, answers = APIRouter(prefix=f"{BASE}/knowledge/{{id}}", tags=["open webui"]), problems(400, 404, 409)
        get: Any = {"responses": answers}
        router.get("", response_model=KnowledgeBase, summary="Show a collection", **get)(self.show)
        router.get("/files", response_model=KnowledgeFiles, summary="List synced files", **get)(self.files)
        diff: Any = {"summary": "Compare files", "openapi_extra": READS, **get}
        router.post("/sync/diff", response_model=Diff, **diff)(self.diff)
        router.post("/sync/cleanup", response_model=CleanedUp, summary="Delete synced files", **get)(self.cleanup)
        router.post("/reset", response_model=CleanedUp, summary="Delete all synced files", **get)(self.reset)
        return router

    def show(self, id: KnowledgeId) -> KnowledgeBase:  # noqa: A002 - the name that its clients know
        """Say what a collection is."""
        about = collection_row(there(id), [])
        shown = {"description": about["description"], "updated_at": about["changed_at"]}
        return KnowledgeBase(id=about["name"], name=about["name"], **shown)

    def files(self, id: KnowledgeId) -> KnowledgeFiles:  # noqa: A002
        """List what was synced into a collection."""
        items = [_file(place, row) for place, row in synced_documents(there(id)).items()]
        return KnowledgeFiles(items=items, total=len(items))

    def diff(self, id: KnowledgeId, sent: Manifest) -> Diff:  # noqa: A002
        """Say which files have to be sent and deleted; a collection that there is not yet has none."""
        require_collection(id)
        found = difference(id, [SourceFile(one.path, one.filename, one.checksum) for one in sent.manifest])
        return Diff(
            added=[_place(file) for file in found.added],
            modified=[
                StaleFile(**vars(_place(file)), stale_file_id=f"{REPLACED}{row['doc_id']}")
                for file, row in found.modified
            ],
            deleted=[GoneFile(**_below(place), file_id=row["doc_id"]) for place, row in found.deleted.items()],
            unmodified_count=found.unmodified,
            mkdir=[],
            rmdir=[],
            directory_map={one.path: one.path for one in sent.manifest if one.path},
        )

    def cleanup(self, id: KnowledgeId, asked: Cleanup) -> CleanedUp:  # noqa: A002
        """Delete synced files; what is gone already is as it should be, and what is replaced stays until then."""
        ours = {row["doc_id"] for row in synced_documents(there(id)).values()}
        wanted = [one for one in dict.fromkeys(asked.file_ids) if not one.startswith(REPLACED)]
        for doc_id in wanted:
            if doc_id not in ours and reader().document(doc_id) is not None:
                raise NotThereError(f"{doc_id!r} was not synced into {id!r}", "delete it with DELETE /documents")
        return _deleted([doc_id for doc_id in wanted if doc_id in ours])

    def reset(self, id: KnowledgeId) -> CleanedUp:  # noqa: A002
        """Delete all that was synced into a collection, and nothing else of it."""
        return _deleted([row["doc_id"] for row in synced_documents(there(id)).values()])


def _deleted(doc_ids: list[str]) -> CleanedUp:
    if doc_ids:
        delete_known_documents(doc_ids)
    return CleanedUp(status=True, deleted=len(doc_ids))


def _place(file: SourceFile) -> Place:
    return Place(filename=file.name, path=file.folder)


def _below(place: str) -> dict[str, str]:
    path = PurePosixPath(place).relative_to(FOLDER)
    return {"filename": path.name, "path": "" if path.parent == PurePosixPath() else str(path.parent)}


def _file(place: str, row: DocumentRow) -> KnowledgeFile:
    name = str(PurePosixPath(place).relative_to(FOLDER))
    facts = FileFacts(name=name, size=row["size"] or 0, file_hash=str(row["meta"].get(SYNCED_HASH) or ""))
    return KnowledgeFile(id=row["doc_id"], filename=PurePosixPath(name).name, meta=facts)
