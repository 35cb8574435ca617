"""What an ingest is asked for, beside its files."""

from typing import Any, TypedDict


class AskedIngest(TypedDict):
    """Fields of the job's record that have to be equal for a job to be taken up again; `meta` is of all the files."""

    collection: str
    graph: str
    meta: dict[str, Any]
