"""What a job's process writes down when it has done its work."""

from typing import NotRequired, TypedDict

from khub.components.catalog.job_files import JobFiles
from khub.components.catalog.job_result import JobResult
from khub.server.library.reindex_result import ReindexResult


class JobOutcome(TypedDict):
    """The fields of the job's record that say what it did; `files` of an ingest or a sync."""

    result: JobResult | ReindexResult
    files: NotRequired[JobFiles]
