"""A job as the catalog keeps it."""

from typing import Any, NotRequired, TypedDict

from khub.components.catalog.job_files import JobFiles
from khub.components.catalog.job_progress import JobProgress
from khub.components.catalog.job_result import JobResult


class JobRow(TypedDict):
    """What is known of a job.

    :ivar kind: `ingest`, `sync`, `source`, `move` or `reindex`.
    :ivar state: `queued`, `running`, `finished`, `failed`, `interrupted` or `cancelled`.
    :ivar graph: None for a reindex through the graph that filled the collection.
    :ivar caller: name of who started it; empty where nobody has one.
    :ivar groups: of who started it, a person whom an issuer vouches for.
    :ivar door: the command that does it itself.
    :ivar of_service: that a service runs it.
    :ivar folder: of a sync; the address of a source.
    :ivar source_key: of a source.
    :ivar few: that it has few files, see `next_job`.
    :ivar paths: absolute, of the files; of a sync None for all of its folder.
    :ivar meta: of all the files.
    :ivar content: hash of what the request held.
    :ivar agreed: of a sync: ids of documents that somebody has agreed to lose.
    :ivar dropped: sources of documents that were deleted while it waited.
    :ivar moved: of a move: ids of the documents in their collections of before.
    :ivar traces: ids of its runs.
    :ivar taken_by: name of the runner that has it, where several machines have one.
    :ivar resumed: how often it was taken up again.
    :ivar tries: how often its process has ended without a word, and came no further.
    :ivar got_to: how far it was then.
    :ivar retries: how often it was put off, since something that it needs could not be reached.
    :ivar retry_at: until when, ISO 8601 in UTC.
    """

    job_id: str
    kind: str
    state: str
    collection: str
    graph: str | None
    started_at: str
    created_at: str
    updated_at: str
    caller: NotRequired[str]
    groups: NotRequired[list[str]]
    door: NotRequired[str]
    of_service: NotRequired[bool]
    folder: NotRequired[str]
    source_key: NotRequired[str]
    few: NotRequired[bool]
    paths: NotRequired[list[str] | None]
    meta: NotRequired[dict[str, Any]]
    content: NotRequired[str | None]
    agreed: NotRequired[list[str] | None]
    dropped: NotRequired[list[str]]
    moved: NotRequired[list[str]]
    traces: NotRequired[list[str]]
    progress: NotRequired[JobProgress]
    result: NotRequired[JobResult]
    files: NotRequired[JobFiles]
    error: NotRequired[str]
    remedy: NotRequired[str]
    resumed: NotRequired[int]
    taken_by: NotRequired[str]
    tries: NotRequired[int]
    got_to: NotRequired[int]
    retries: NotRequired[int]
    retry_at: NotRequired[str]
    finished_at: NotRequired[str]
