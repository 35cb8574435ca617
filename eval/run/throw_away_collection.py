"""A collection for the evaluation alone, kept as long as what it was made from stays the same."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from components.home import hub_home
from components.stores.open_indexes import close_readers
from eval.run.files import write_file
from eval.run.fingerprints import digest, documents_in, filling_code_hash, graph_hash
from eval.run.hub_home import hub_home_at
from server.graphs import Graph
from server.ingest import Progress, binding_of, ingest

NAME = "evaluation"
ABOUT = "collection.json"


@dataclass(frozen=True)
class ThrowAwayCollection:
    """A collection in a hub home of its own.

    :param home: its hub home; the collection's name in it is `NAME`.
    :param key: hash of the documents' bytes, the ingest graph, its models and the code of the stages.
    :param documents: the folder that it was filled from.
    :param ingest: name of the graph that filled it.
    :param model: fingerprint of the embedder.
    :param files: number of documents in the folder.
    :param failed: `{source, stage, error, remedy}` of those that could not be read.
    :param seconds: what filling it took.
    """

    home: Path
    key: str
    documents: Path
    ingest: str
    model: str
    files: int
    failed: list[dict[str, str]]
    seconds: float

    def relative(self, source: str) -> str:
        """Return a citation's source from the documents' folder, with `/`; as it is if it lies elsewhere."""
        path = Path(source)
        return path.relative_to(self.documents).as_posix() if path.is_relative_to(self.documents) else path.as_posix()


def throw_away_collection(
    documents: Path, graph: Graph, on_progress: Callable[[Progress], None] | None = None
) -> ThrowAwayCollection:
    """Return the collection of a folder, filled by an ingest graph; one that was stopped half-way is completed.

    :param documents: the folder.
    :param graph: of kind `ingest`.
    :param on_progress: called while it is being filled.
    :raises KhubError: when there is nothing to fill it with, or the graph cannot be used.
    """
    folder = documents.absolute()
    binding = binding_of(graph)
    files = documents_in(folder)
    key = digest([files, graph_hash(graph), binding, filling_code_hash()])
    home = hub_home() / "eval" / "collections" / key
    about = home / ABOUT
    if about.is_file():
        return _read(home, json.loads(about.read_text(encoding="utf-8")))
    started = time.perf_counter()
    with hub_home_at(home):
        result = ingest([str(folder)], NAME, graph.name, on_progress=on_progress)
        close_readers()
    made = ThrowAwayCollection(
        home,
        key,
        folder,
        graph.name,
        binding["embedder"]["fingerprint"],
        len(files),
        [{**failure, "source": _name(failure["source"], folder)} for failure in result.failed],
        round(time.perf_counter() - started, 1),
    )
    # written last: without it the next run goes on filling, and passes over what is there
    write_file(about, json.dumps({**asdict(made), "home": "", "documents": str(folder)}, ensure_ascii=False, indent=1))
    return made


def _read(home: Path, about: dict[str, Any]) -> ThrowAwayCollection:
    return ThrowAwayCollection(**{**about, "home": home, "documents": Path(about["documents"])})


def _name(source: str, folder: Path) -> str:
    path = Path(source)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else source
