"""A citation as the tools show it."""

from typing import TypedDict

from khub.components.catalog.passage_place import PassagePlace


class ShownCitation(TypedDict, total=False):
    """What `Citation` says; beyond the first ones, what is empty is left out.

    :ivar text: the passage, or its part around what carries the match; empty where there is no room.
    :ivar text_shortened: whether `text` is a part only.
    :ivar context: `{before, after, section}`: the text around it.
    :ivar uri: resource with the whole passage.
    :ivar time_mark: of a recording: when the evidence is said, such as `12:40`.
    """

    id: int
    chunk_id: str
    doc_id: str
    source: str
    url: str | None
    title: str
    section: str
    page: int | None
    text: str
    score: float
    ranks: dict[str, int]
    images: list[str]
    also_in: list[PassagePlace]
    context: dict[str, str] | None
    collection: str
    text_shortened: bool
    uri: str
    time_mark: str
