"""Pictures that were found, as every door hands them out."""

from typing import NotRequired, TypedDict

from khub.components.degraded_entry import DegradedEntry


class PictureHit(TypedDict):
    """A picture with its words and the passage around it.

    :ivar score: how near it is to what was searched for.
    :ivar title: of its document.
    :ivar words: what is known of it in words.
    :ivar chunk_id: of the passage; None where the caller may see none.
    :ivar around: the beginning of the passage.
    :ivar uri: under which a client finds it, where it is told.
    """

    image_id: str
    doc_id: str
    source: str
    page: int | None
    width: int
    height: int
    score: float
    title: str
    words: str
    chunk_id: str | None
    around: str
    uri: NotRequired[str]


class PictureHits(TypedDict):
    """The pictures of a collection, best first.

    :ivar degraded: what stands in for something better that failed.
    :ivar hint: what would find more; else empty.
    """

    collection: str
    images: list[PictureHit]
    degraded: list[DegradedEntry]
    hint: str
