"""Files through the shipped ingest graph."""

import sys
from pathlib import Path

import pytest

import khub.server.library.ingest as module
from khub.components.catalog.catalog import open_catalog
from khub.components.embedders.model_folder import _load
from khub.components.errors import BindingError, QueryError
from khub.server.graphs.load import load_graph
from khub.server.graphs.run import RunResult
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import binding_of, ingest
from khub.server.traces.index import read_traces
from tests.error_codes import raises_code
from tests.server.hub_files import edit, shipped

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


@pytest.fixture(autouse=True)
def _shipped(pipelines):
    pass


def names(rows, key="source"):
    return sorted(row[key].replace("\\", "/").rpartition("/")[2] for row in rows)


def test_folder_goes_in_and_is_skipped_the_second_time(notes):
    first = ingest([str(notes)])
    assert (first.collection, first.graph, first.failed, first.unchanged) == ("default", "ingest", [], [])
    assert names(first.written) == ["birds.md", "fish.txt", "预算.md"]
    second = ingest([str(notes)])
    assert (second.written, len(second.unchanged)) == ([], 3)
    assert first.seconds > 0


def test_progress_names_the_files_that_are_next_and_what_became_of_those_before(notes, monkeypatch):
    monkeypatch.setattr(module, "FIRST_FILES", 1)
    ingest([str(notes / "birds.md")])
    (notes / "empty.md").write_bytes(b"")
    seen = []
    ingest([str(notes)], on_progress=seen.append)
    assert seen[0].at_work == (str(notes / "birds.md"),)
    assert not seen[0].ended
    assert not seen[-1].at_work
    ended = {source.rpartition("/")[2]: became for one in seen for source, became in one.ended}
    assert ended == {"birds.md": "unchanged", "empty.md": "failed", "fish.txt": "written", "预算.md": "written"}


def test_a_file_that_goes_through_alone_has_seconds_of_its_own(notes, monkeypatch):
    monkeypatch.setattr(module, "FIRST_FILES", 1)
    monkeypatch.setattr(module, "next_size", lambda *_: 2)
    written = ingest([str(notes)]).written
    assert ["seconds" in one for one in written] == [True, False, False]
    assert written[0]["seconds"] >= 0


def test_changed_file_alone_goes_in_again(notes):
    ingest([str(notes)])
    (notes / "fish.txt").write_text("Pike wait in the reeds.", encoding="utf-8")
    again = ingest([str(notes)])
    assert names(again.written) == ["fish.txt"]
    assert "Pike wait in the reeds." in [c.content for c in open_catalog().chunks.visible("default")]


def test_edited_stage_reads_everything_again_and_force_too(notes, pipelines):
    ingest([str(notes)])
    edit(pipelines / "ingest.yaml", shipped("ingest", r"chunk_size: \d+"), "chunk_size: 701")
    assert len(ingest([str(notes)]).written) == 3
    assert len(ingest([str(notes)]).unchanged) == 3
    edit(
        pipelines / "ingest.yaml",
        "IntegrityCheck\n    init_parameters: {}",
        "IntegrityCheck\n    init_parameters: {force: true}",
    )
    assert len(ingest([str(notes)]).written) == 3


def test_bad_files_stop_nothing_and_keep_what_was_there(notes):
    ingest([str(notes)])
    (notes / "birds.md").write_bytes(b"")
    (notes / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    result = ingest([str(notes), str(notes / "gone.md")])
    assert names(result.failed) == ["birds.md", "broken.pdf", "gone.md"]
    assert all(f["error"] and f["remedy"] and f["stage"] for f in result.failed)
    codes = {Path(failure["source"]).name: failure["code"] for failure in result.failed}
    assert (codes["gone.md"], codes["broken.pdf"]) == ("source_missing", "source_damaged")
    assert any("Herons" in c.content for c in open_catalog().chunks.visible("default"))
    assert names(open_catalog().documents.of_collection("default", "failed")) == ["broken.pdf"]


def test_metadata_of_the_call_is_on_every_chunk(notes):
    ingest([str(notes)], meta={"team": "甲", "year": 2024})
    chunks = list(open_catalog().chunks.visible("default"))
    assert len(chunks) == 3
    assert all((c.meta["team"], c.meta["year"]) == ("甲", 2024) for c in chunks)


@pytest.mark.parametrize("key", ["source", "doc_id", "page", "title", "id", "content"])
def test_metadata_cannot_take_the_place_of_what_the_hub_knows(notes, key):
    with raises_code("metadata_reserved", f"'{key}'"):
        ingest([str(notes / "fish.txt")], meta={"team": "a", key: "x"})


def test_collection_of_any_name(notes):
    assert ingest([str(notes)], collection="知识库 2").collection == "知识库 2"
    assert open_catalog().chunks.count("知识库 2") == 3
    assert open_catalog().collections.names() == ["知识库 2"]


def test_batches_and_progress(notes, monkeypatch):
    monkeypatch.setattr(module, "BATCH_FILES", 2)
    seen = []
    ingest([str(notes), str(notes / "gone.md")], on_progress=seen.append)
    assert [(p.done, p.total, p.chunks, p.failed) for p in seen] == [(0, 3, 0, 1), (2, 3, 2, 1), (3, 3, 3, 1)]


@pytest.mark.parametrize(("seconds_a_file", "longest"), [(0.0, 0), (0.5, 10), (20.0, 80)])
def test_batches_are_as_large_as_a_few_seconds_allow(tmp_path, monkeypatch, seconds_a_file, longest):
    (folder := tmp_path / "many").mkdir()
    for number in range(300):
        (folder / f"{number}.md").write_text(str(number), encoding="utf-8")
    now, took = [0.0], []

    def run(graph, inputs):
        took.append(len(inputs["sources"]) * seconds_a_file)
        now[0] += took[-1]
        report = {"written": [{"source": "", "chunks": 1, "pages": None}] * len(inputs["sources"]), "failed": []}
        return RunResult({"report": report}, "", {})

    monkeypatch.setattr(module, "run_graph", run)
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    assert len(ingest([str(folder)]).written) == 300
    assert max(took) <= longest
    assert max(took[1:]) <= max(5.0, seconds_a_file)
    assert len(took) <= 8 or seconds_a_file


def test_files_that_a_run_did_not_reach_come_next(notes, pipelines):
    edit(pipelines / "ingest.yaml", "timeout_s: 60", "timeout_s: 60\n      workers: 1\n      max_batch_characters: 1")
    seen = []
    result = ingest([str(notes)], on_progress=seen.append)
    assert len(result.written) == 3
    assert [p.done for p in seen] == [0, 1, 2, 3]


def test_file_that_breaks_the_run_takes_no_other_with_it(notes, monkeypatch):
    real = module.run_graph

    def breaks(graph, inputs):
        if any("fish" in source for source in inputs["sources"]):
            raise QueryError("the machine is on fire", "put it out")
        return real(graph, inputs)

    monkeypatch.setattr(module, "run_graph", breaks)
    result = ingest([str(notes)])
    assert names(result.written) == ["birds.md", "预算.md"]
    (failure,) = result.failed
    assert (failure["stage"], failure["error"], failure["remedy"]) == ("graph", "the machine is on fire", "put it out")
    assert names(open_catalog().documents.of_collection("default", "failed")) == ["fish.txt"]


def test_graph_that_does_not_report_unchanged_or_remaining(notes, monkeypatch):
    report = {"written": [], "failed": []}
    monkeypatch.setattr(module, "run_graph", lambda graph, inputs: RunResult({"report": report}, "t", {}))
    assert ingest([str(notes)]).unchanged == []


def test_query_graph_is_refused(notes):
    with raises_code("graph_kind_wrong", "'query'", "'ingest'"):
        ingest([str(notes)], graph_name="query")


def test_mismatch_is_refused_before_any_work(notes, pipelines, monkeypatch):
    ingest([str(notes)])
    edit(pipelines / "ingest.yaml", "model: khub-base", "prefix: 'passage: '")
    monkeypatch.setattr(module, "run_graph", lambda *_: pytest.fail("work was done"))
    with pytest.raises(BindingError, match="khub reindex --collection default"):
        ingest([str(notes)])


def test_binding_needs_an_embedder_and_a_writer(write_graph, pipelines):
    write_graph("less", (pipelines / "query.yaml").read_text(encoding="utf-8"))
    with raises_code("graph_stage_missing", "'less'", "CachedEmbedder", "pipelines/ingest.yaml"):
        binding_of(load_graph("less"))


def test_names_with_newlines_and_dashes(notes):
    for name in ("-rf.md", "two words 二.md"):
        (notes / name).write_text(f"words of {name}", encoding="utf-8")
    assert len(ingest([str(notes)]).written) == 5


@pytest.mark.parametrize("loss", ["mark_dirty", "mark_damaged"])
def test_ingest_with_nothing_new_mends_what_a_killed_one_left(notes, loss):
    ingest([str(notes)])
    states = open_catalog().index_states
    getattr(states, loss)("default", *(["sparse"] if loss == "mark_damaged" else []))
    result = ingest([str(notes)])
    assert (len(result.written), len(result.unchanged)) == (0, 3)
    state = states.state("default")
    assert (state.dirty, state.damaged) == (False, ())
    assert [d.findings.problems for d in diagnose()] == [[]]


def test_stand_in_of_the_model_is_in_the_result_and_in_the_trace(notes, monkeypatch):
    _load.cache_clear()
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "onnxruntime", None)
        result = ingest([str(notes)])
    assert [entry["stage"] for entry in result.degraded] == ["embed"]
    assert result.degraded[0]["reason"].startswith("khub-fast stands in for khub-base: ")
    assert read_traces(1)[0]["degraded"] == result.degraded
    kept = open_catalog().collections.binding("default")
    assert "replaced" not in kept["embedder"]
    assert ingest([str(notes)], graph_name="ingest_fast").failed == []  # it is the collection of that model


def test_nothing_is_degraded_where_the_model_runs(notes):
    assert ingest([str(notes)]).degraded == []
