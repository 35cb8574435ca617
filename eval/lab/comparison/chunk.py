"""Ready-made chunks, as all systems get them: one JSON object a line."""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple


class Chunk(NamedTuple):
    """A chunk of a document.

    :param id: unique in the data set.
    :param text: what is embedded: title, heading path and content.
    :param content: what is shown.
    :param meta: metadata of the hub's own chunk (`doc_id`, `source`, `section` …).
    """

    id: str
    text: str
    content: str
    meta: dict[str, Any]


def write_chunks(path: Path, chunks: Iterable[Chunk]) -> None:
    """Write chunks, in their order."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(chunk, ensure_ascii=False, default=str) + "\n" for chunk in chunks)


def read_chunks(path: Path) -> Iterator[Chunk]:
    """Yield the chunks of a file, so that whoever needs no more than a few at a time holds no more."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Chunk(*json.loads(line))


def by_number(chunks: Iterable[Chunk], number: int) -> Iterator[list[Chunk]]:
    """Yield batches of so many chunks; the last may be shorter."""
    waiting = iter(chunks)
    while batch := list(islice(waiting, number)):
        yield batch


def by_documents(chunks: Iterable[Chunk], number: int) -> Iterator[list[Chunk]]:
    """Yield batches with the chunks of so many documents, which stand together; the last may be shorter."""
    documents = (list(group) for _, group in groupby(chunks, key=lambda chunk: chunk.meta["doc_id"]))
    while batch := list(islice(documents, number)):
        yield [chunk for document in batch for chunk in document]
