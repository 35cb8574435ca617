"""Rows of files through the shipped graph."""

import json
from pathlib import Path

import pytest

import khub.server.library.ingest_rows as module
from khub.components.catalog.catalog import open_catalog
from khub.components.errors import BindingError
from khub.server.graphs.load import load_graph
from khub.server.jobs.deletions import delete_document, delete_file
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.library.ingest_rows import ingest_rows
from khub.server.library.row_files import Columns
from khub.server.questions.ask import ask
from tests.error_codes import raises_code
from tests.server.hub_files import edit, shipped

pytestmark = pytest.mark.integration

FISH = [
    {"id": "t", "title": "Trout", "text": "Trout swim upstream in cold rivers.", "river": "Elbe"},
    {"id": "p", "title": "Pike", "text": "Pike wait in the reeds.", "river": "Oder"},
    {"id": "e", "title": "鳗鱼", "text": "鳗鱼在夜里横渡大洋。", "river": "长江"},
]


@pytest.fixture(autouse=True)
def _shipped(pipelines):
    pass


@pytest.fixture
def table(tmp_path):
    """Return a function that writes rows into fish.jsonl and returns its path."""

    def write(*rows):
        path = tmp_path / "fish.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return str(path)

    return write


def ids(sources):
    return sorted(source.partition("#row=")[2] for source in sources)


def written(result):
    return ids(row["source"] for row in result.written)


def test_rows_come_in_and_are_found_by_their_words_and_fields(table):
    path = table(*FISH)
    result = ingest_rows([path])
    assert (written(result), result.failed, result.unchanged, result.graph) == (["e", "p", "t"], [], [], "ingest_rows")
    citation = ask("Where do pike wait?").citations[0]
    assert (citation.source, citation.title) == (f"{path}#row=p", "Pike")
    only = ask("fish", filters={"field": "meta.river", "operator": "==", "value": "长江"}).citations
    assert [c.title for c in only] == ["鳗鱼"]
    assert diagnose()[0].healthy


def test_only_rows_that_are_new_or_changed_come_in_again(table):
    ingest_rows([table(*FISH)])
    result = ingest_rows([table({**FISH[0], "text": "Trout are caught."}, *FISH[1:], {"id": "x", "text": "Carp."})])
    assert (written(result), ids(result.unchanged)) == (["t", "x"], ["e", "p"])


@pytest.mark.parametrize(("prune", "left"), [(False, ["e", "p", "t"]), (True, ["e", "t"])])
def test_rows_that_are_gone_go_if_asked(table, prune, left):
    ingest_rows([table(*FISH)])
    path = table(FISH[0], FISH[2])
    result = ingest_rows([path], prune=prune)
    assert ids(result.removed) == (["p"] if prune else [])
    assert ids(row["source"] for row in open_catalog().documents.of_collection("default")) == left


def test_nothing_is_pruned_where_a_row_cannot_be_read_and_from_other_files(table, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("text\nCarp live long.\n", encoding="utf-8")
    ingest_rows([table(*FISH), str(other)])
    path = table(FISH[0])
    with Path(path).open("a", encoding="utf-8") as stream:
        stream.write("{half a li")
    result = ingest_rows([path], prune=True)
    assert (len(result.failed), result.removed) == (1, [])
    assert len(ingest_rows([table(FISH[0])], prune=True).removed) == 2
    assert len(open_catalog().documents.of_collection("default")) == 2


def test_batches_and_progress(table, monkeypatch):
    monkeypatch.setattr(module, "BATCH_ROWS", 2)
    seen = []
    ingest_rows([table(*FISH)], on_progress=seen.append)
    assert [(p.done, p.total, p.chunks) for p in seen] == [(0, 3, 0), (2, 3, 2), (3, 3, 3)]


def test_metadata_columns_and_collection(table):
    path = table(*FISH)
    ingest_rows([path], "鱼", meta={"team": "a"}, columns=Columns(title="river"))
    rows = open_catalog().documents.of_collection("鱼")
    assert sorted(row["title"] for row in rows) == ["Elbe", "Oder", "长江"]
    assert {row["meta"]["team"] for row in rows} == {"a"}
    with raises_code("metadata_reserved", "'page'"):
        ingest_rows([path], meta={"page": 1})


def test_files_that_cannot_be_read_stop_no_other(table, tmp_path):
    result = ingest_rows([str(tmp_path / "gone.csv"), table(*FISH), table(*FISH)])
    assert [failure["source"] for failure in result.failed] == [str(tmp_path / "gone.csv")]
    assert len(result.written) == 3


def test_renamed_columns_are_told(table):
    result = ingest_rows([table({"text": "x", "page": 7})])
    assert result.degraded[0]["reason"].endswith("is kept as 'column_page'")


def test_rows_go_through_the_stages_of_files():
    rows, files = (load_graph(name).pipeline.to_dict()["components"] for name in ("ingest_rows", "ingest"))
    reading = ("check", "convert", "ocr", "rows")
    stages = [{name: part for name, part in graph.items() if name not in reading} for graph in (rows, files)]
    assert stages[0] == stages[1]


def test_rows_and_files_share_a_collection_and_a_stage_change_reads_rows_again(table, notes, pipelines):
    ingest([str(notes)])
    path = table(*FISH)
    ingest_rows([path])
    assert len(open_catalog().documents.of_collection("default")) == 6
    edit(pipelines / "ingest.yaml", shipped("ingest", r"chunk_size: \d+"), "chunk_size: 701")
    assert len(ingest_rows([path]).written) == 3


def test_graphs_of_the_other_kind_are_refused(table, notes, pipelines):
    with raises_code("graph_kind_wrong", "'ingest'"):
        ingest_rows([table(*FISH)], graph_name="ingest")
    with raises_code("graph_kind_wrong", "'ingest_rows'"):
        ingest([str(notes)], graph_name="ingest_rows")
    ingest([str(notes)], graph_name="ingest_fast")
    with pytest.raises(BindingError):
        ingest_rows([table(*FISH)])


def test_a_row_is_deleted_by_its_name_and_all_by_their_file(table, notes):
    path = table(*FISH)
    ingest_rows([path])
    ingest([str(notes)])
    assert delete_document("fish.jsonl#row=p")["source"] == f"{path}#row=p"
    assert ids(row["source"] for row in delete_file(path)) == ["e", "t"]
    assert delete_file(path) == []
    assert len(open_catalog().documents.of_collection("default")) == 3
