"""A collection for the evaluation alone, kept as long as what it was made from stays the same."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, cast

from khub.components.home import hub_home
from khub.components.stores.open_indexes import close_readers
from khub.eval.run.asked_collection import AskedCollection
from khub.eval.run.files import write_file
from khub.eval.run.fingerprints import digest, documents_in, filling_code_hash, graph_hash
from khub.eval.run.hub_home import hub_home_at
from khub.server.graphs.load import Graph
from khub.server.library.ingest import binding_of, ingest
from khub.server.library.ingest_result import Progress

NAME = "evaluation"
ABOUT = "collection.json"


@dataclass(frozen=True)
class ThrowAwayCollection(AskedCollection):
    """A collection in a hub home of its own; its key is of the documents' bytes, the ingest graph, models and stages.

    :param ingest: name of the graph that filled it.
    :param model: fingerprint of the embedder.
    :param lasting: whether the failures came again when the files were tried again.
    """

    ingest: str
    model: str
    lasting: bool = False


def throw_away_collection(
    documents: Path, graph: Graph, on_progress: Callable[[Progress], None] | None = None
) -> ThrowAwayCollection:
    """Return the collection of a folder, filled by an ingest graph; one that was stopped half-way is completed.

    Files that failed are tried again when the collection is used next: a busy machine may have been too slow for them.
    If they fail in the same way, that is how it stays, and they cost nothing any more.

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
        made = _read(home, json.loads(about.read_text(encoding="utf-8")))
        # only from where it was filled: files of a copy would be added to those that are there
        if not made.failed or made.lasting or made.documents != folder:
            return made
        failed = _fill(home, folder, graph, on_progress)
        made = replace(made, failed=failed, lasting=_told(failed) == _told(made.failed))
    else:
        started = time.perf_counter()
        failed = _fill(home, folder, graph, on_progress)
        seconds = round(time.perf_counter() - started, 1)
        model = binding["embedder"]["fingerprint"]
        made = ThrowAwayCollection(home, key, folder, len(files), failed, seconds, NAME, graph.name, model)
    # written last: without it the next run goes on filling, and passes over what is there
    write_file(about, json.dumps({**asdict(made), "home": "", "documents": str(folder)}, ensure_ascii=False, indent=1))
    return made


def _fill(
    home: Path, folder: Path, graph: Graph, on_progress: Callable[[Progress], None] | None
) -> list[dict[str, str]]:
    """Ingest what is not there yet; return the files that failed."""
    with hub_home_at(home):
        result = ingest([str(folder)], NAME, graph.name, on_progress=on_progress)
        close_readers()
    return [cast(dict[str, str], {**one, "source": _name(one["source"], folder)}) for one in result.failed]


def _told(failed: list[dict[str, str]]) -> set[tuple[str, str]]:
    return {(failure["source"], failure["error"]) for failure in failed}


def _read(home: Path, about: dict[str, Any]) -> ThrowAwayCollection:
    return ThrowAwayCollection(**{"name": NAME, **about, "home": home, "documents": Path(about["documents"])})


def _name(source: str, folder: Path) -> str:
    path = Path(source)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else source
