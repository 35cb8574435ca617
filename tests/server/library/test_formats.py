"""A component of a graph that declares extensions is asked by whoever looks through a folder."""

import shutil
from functools import partial
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.graphs.extensions import extensions_of, extensions_read_by
from khub.server.graphs.load import load_graph
from khub.server.http.asked_ingests import preview_paths
from khub.server.library.convert import convert_file
from khub.server.library.ingest import ingest
from khub.server.library.ingest_preview import preview_ingest
from khub.server.library.ingest_request import IngestRequest
from khub.server.library.sync import apply_sync, plan_sync
from khub.server.library.watch import snapshot
from khub.server.questions.ask import ask
from tests.server.hub_files import edit

pytestmark = pytest.mark.integration
OF_TRACKS = {"field": "meta.doc_type", "operator": "==", "value": "track"}
EXAMPLE = Path(__file__).parents[3] / "docs" / "examples" / "plugin"
TRACK = "<gpx><wpt><name>Sharp Edge of Blencathra</name></wpt></gpx>"


def read_tracks(graph: Path) -> None:
    """Let an ingest graph read tracks, too."""
    edit(graph, "  convert:\n", "  tracks: {type: khub_example.tracks.TrackReader}\n\n  convert:\n")
    edit(
        graph,
        "  - {sender: check.sources, receiver: convert.sources}\n",
        "  - {sender: check.sources, receiver: tracks.sources}\n"
        "  - {sender: tracks.sources, receiver: convert.sources}\n"
        "  - {sender: tracks.documents, receiver: split.documents}\n",
    )


@pytest.fixture
def graph(fixed_graphs, monkeypatch):
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "khub_example.*")
    monkeypatch.syspath_prepend(EXAMPLE)
    read_tracks(fixed_graphs / "ingest.yaml")
    return fixed_graphs / "ingest.yaml"


@pytest.fixture
def ridge(notes):
    (notes / "ridge.GPX").write_text(TRACK, encoding="utf-8")
    return notes


def names(sources):
    return sorted(Path(source).name for source in sources)


def documents():
    return names(row["source"] for row in open_catalog().documents.of_collection("default"))


def test_the_files_of_a_folder_come_in_stay_and_are_cited(graph, ridge):
    assert names(preview_ingest([str(ridge)]).new) == names(preview_paths(IngestRequest(), [str(ridge)]).new)
    assert "ridge.GPX" in names(preview_ingest([str(ridge)]).new)
    assert (ingest([str(ridge)]).passed_over_count, len(documents())) == (0, 4)
    assert ask("Blencathra", filters=OF_TRACKS).citations[0].source == str(ridge / "ridge.GPX")
    result = apply_sync(plan_sync(str(ridge)))
    assert (len(result.unchanged), result.removed, result.kept) == (4, [], [])
    (ridge / "ridge.GPX").unlink()
    assert names(apply_sync(plan_sync(str(ridge))).removed) == ["ridge.GPX"]


def test_each_file_is_converted_by_the_component_that_reads_it(graph, ridge):
    assert convert_file(str(ridge / "ridge.GPX")).document.meta["doc_type"] == "track"
    assert convert_file(str(ridge / "birds.md")).document.meta["doc_type"] == "markdown"
    (ridge / "LICENSE").write_text("Free.", encoding="utf-8")
    assert convert_file(str(ridge / "LICENSE")).document.content == "Free."


def test_a_watch_sees_them(graph, ridge):
    looks = partial(snapshot, str(ridge))
    assert "ridge.GPX" not in names(looks())
    assert "ridge.GPX" in names(looks(extensions=extensions_read_by("ingest")))
    graph.unlink()
    assert extensions_read_by("ingest") == extensions_read_by("ingest_fast")


def test_without_the_component_they_are_told_and_none_that_is_there_goes(graph, ridge):
    ingest([str(ridge)])
    shutil.copy(Path(__file__).parents[1] / "graphs" / "ingest.yaml", graph)
    assert ".gpx" not in extensions_of(load_graph("ingest"))
    plan = plan_sync(str(ridge))
    assert (plan.removals, names(plan.kept)) == ([], ["ridge.GPX"])
    assert "ridge.GPX" in names(one["source"] for one in ingest([str(ridge)]).passed_over)
    apply_sync(plan)
    assert documents() == ["birds.md", "fish.txt", "ridge.GPX", "预算.md"]
