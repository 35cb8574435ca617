"""A large collection of generated text, made once and kept, and questions to ask it."""

import os
from collections.abc import Callable
from pathlib import Path

from components.catalog.catalog import open_catalog
from components.catalog.collections import DEFAULT_COLLECTION
from eval.bench.comparison.data_set import LANGUAGES, write_files
from eval.bench.corpus import Corpus
from server.library.ingest import Progress, ingest

INGEST_GRAPH = "ingest_fast"
MODEL = "khub-fast"  # a hundred times as fast as the default one, which would need hours for so many chunks
COMPLETE = "complete"
SEED = 7


def use_collection(work: Path, chunks: int, on_progress: Callable[[Progress], None] | None = None) -> int:
    """Make a collection of about so many chunks the hub's own, from now on; it is filled unless it is there.

    :param work: folder in which it lies.
    :param chunks: how many, half of them English and half Chinese.
    :returns: the number of its chunks.
    """
    folder = work / str(chunks)
    os.environ["KHUB_HOME"] = str(folder / "home")
    if not (folder / COMPLETE).exists():
        if not (folder / "files").exists():
            write_files(folder / "files", chunks, SEED)
        ingest([str(folder / "files")], DEFAULT_COLLECTION, INGEST_GRAPH, on_progress=on_progress)
        (folder / COMPLETE).touch()
    return open_catalog().chunks.count(DEFAULT_COLLECTION)


def questions(number: int) -> list[str]:
    """Return different questions, English and Chinese by turns, of words as frequent as they are in the documents."""
    corpora = [Corpus(language, SEED) for language in LANGUAGES]
    found: dict[str, None] = {}
    while len(found) < number:
        for corpus in corpora:
            found.setdefault(corpus.question())
    return list(found)[:number]
