"""What is compared: a system that takes ready-made chunks and answers questions."""

import importlib
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from khub.eval.lab.comparison.chunk import Chunk

MODEL = "khub-fast"
LEG_TOP_K = 30  # chunks that each leg hands to the fusion, as in the hub's own query graphs

CLASSES = {
    "hub": "khub.eval.lab.comparison.hub_system.HubSystem",
    "langchain": "khub.eval.lab.comparison.langchain_system.LangChainSystem",
    "haystack": "khub.eval.lab.comparison.haystack_system.HaystackSystem",
}
TITLES = {
    "hub": "khub (query)",
    "langchain": "LangChain EnsembleRetriever (BM25 + Chroma)",
    "haystack": "Haystack InMemoryDocumentStore, hybrid",
}


class Found(NamedTuple):
    """What a search gave.

    :param ids: of chunks, best first.
    :param stages: stage -> milliseconds; empty where the system does not say.
    :param degraded: whether a part of the search was replaced by the next best thing.
    """

    ids: list[str]
    stages: dict[str, float]
    degraded: bool


class Clock:
    """Adds up the seconds of named parts of the work."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Add the time of the block to a part."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.parts[name] = self.parts.get(name, 0.0) + time.perf_counter() - started


class System(Protocol):
    """One of the compared systems; an object either fills an index or searches it.

    :param folder: where its index lies, or will.
    :param clock: to which it adds `embed` and whatever else it can tell apart.
    """

    def __init__(self, folder: Path, clock: Clock) -> None: ...

    def batches(self, chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
        """Yield the chunks in the batches that suit the system."""

    def prepare(self) -> None:
        """Load code and model, and make the empty index."""

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Embed and index one batch."""

    def finish(self) -> None:
        """Do what is left until questions can be asked, and keep on disk what the system keeps."""

    def open(self) -> None:
        """Make the index ready for questions, in a process that has not filled it."""

    def search(self, question: str, top_k: int) -> Found:
        """Answer a question."""


def load_system(name: str, folder: Path, clock: Clock) -> System:
    """Import a system by its name; no other one, so that none pays for another's imports."""
    module, _, class_name = CLASSES[name].rpartition(".")
    system_class: Any = getattr(importlib.import_module(module), class_name)
    system: System = system_class(folder, clock)
    return system
