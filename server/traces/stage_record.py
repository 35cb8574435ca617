"""A stage of a run, as the trace log has it."""

from typing import Any, TypedDict


class StageRecord(TypedDict, total=False):
    """What is kept of a stage, or of a part of one; how much depends on `KHUB_TRACE`.

    :ivar type: full class path of the component; of a part none, nor any of `method`, `senders`, `input` and `output`.
    :ivar method: name of the class that does the work.
    :ivar start_ms: when it began, from the beginning of the run.
    :ivar senders: input -> names of the stages that feed it.
    :ivar input: socket -> summary of what it was given.
    :ivar output: socket -> summary of what it gave.
    :ivar details: what it says of itself, and its parts as `spans`.
    :ivar unfinished: that the run did not wait for its end.
    """

    name: str
    type: str
    method: str
    start_ms: float
    ms: float
    senders: dict[str, list[str]]
    input: dict[str, Any]
    output: dict[str, Any]
    details: dict[str, Any]
    unfinished: bool
    error: str
