"""A collection that was made to be asked."""

from typing import TypedDict


class CollectionAbout(TypedDict):
    """What a report says of it.

    :ivar ingest: graph that filled it.
    :ivar model: of the embedder.
    :ivar titles: how many documents the hub gave a title.
    :ivar failed: `{source, stage, error, remedy}` of files that could not be read.
    :ivar seconds: what filling it took.
    """

    key: str
    ingest: str
    model: str
    files: int
    chunks: int
    titles: int
    failed: list[dict[str, str]]
    seconds: float
