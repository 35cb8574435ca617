"""The event of a job that its state has changed."""

from typing import NotRequired, TypedDict

from khub.components.catalog.job_result import JobResult


class JobStateEvent(TypedDict):
    """The new state, and what the job came to, where it has ended."""

    state: str
    result: NotRequired[JobResult]
    error: NotRequired[str]
    remedy: NotRequired[str]
