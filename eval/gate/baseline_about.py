"""What a baseline was measured with."""

from typing import TypedDict


class BaselineAbout(TypedDict):
    """The graph, what filled its collection, and the questions.

    :ivar hash: of the graph.
    :ivar ingest: name of the ingest graph.
    :ivar model: of the embedder.
    :ivar documents: their hash.
    :ivar questions: how many.
    """

    graph: str
    hash: str
    ingest: str
    model: str
    documents: str
    questions: int
