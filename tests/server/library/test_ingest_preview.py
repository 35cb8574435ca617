"""What is foretold is what happens, and nothing is written."""

import json
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.documents import Documents
from khub.components.errors import BindingError, GraphError, KhubError
from khub.server.library.ingest import ingest, prepare_ingest
from khub.server.library.ingest_preview import preview_ingest, preview_rows, preview_sent
from khub.server.library.ingest_rows import ingest_rows
from khub.server.library.row_files import Columns
from tests.server.hub_files import edit, shipped

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _shipped(pipelines):
    pass


@pytest.fixture
def mixed(notes):
    """The three notes, and files that cannot come in."""
    (notes / "empty.md").write_bytes(b"")
    (notes / "blank.md").write_text(" \n", encoding="utf-8")
    (notes / "binary.txt").write_bytes(b"\x00\x01\x02")
    return notes


def names(sources):
    return sorted(source.replace("\\", "/").rpartition("/")[2] for source in sources)


def contents(folder):
    """Every file under a folder, but for what SQLite keeps beside a file that is open."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def test_a_new_collection_is_foretold_and_not_made(mixed, tmp_path):
    (mixed / "photo.raw").write_bytes(b"x")
    (mixed / "old.wps").write_bytes(b"x")
    preview = preview_ingest([str(mixed), str(mixed / "gone.md"), str(mixed / "old.wps")], "x")
    assert (preview.collection, preview.graph, preview.is_new) == ("x", "ingest", True)
    assert names(preview.new) == ["birds.md", "fish.txt", "预算.md"]
    assert names(failure["source"] for failure in preview.failed) == [
        "binary.txt", "blank.md", "empty.md", "gone.md", "old.wps",
    ]  # fmt: skip
    assert (preview.changed, preview.unchanged, preview.passed_over_count) == ([], [], 2)
    assert names(one["source"] for one in preview.passed_over) == ["old.wps", "photo.raw"]
    assert not (tmp_path / "home").exists()


def test_what_is_foretold_happens(mixed):
    ingest([str(mixed)])
    (mixed / "fish.txt").write_text("Pike wait in the reeds.", encoding="utf-8")
    (mixed / "new.md").write_text("# New", encoding="utf-8")
    (mixed / "blank.md").write_text("no longer", encoding="utf-8")
    (mixed / "birds.md").write_bytes(b"")
    preview = preview_ingest([str(mixed)])
    result = ingest([str(mixed)])
    foretold = [*preview.new, *(entry["source"] for entry in preview.changed)]
    assert names(foretold) == names(row["source"] for row in result.written) == ["blank.md", "fish.txt", "new.md"]
    assert names(preview.new) == ["new.md"]
    assert preview.unchanged == result.unchanged
    assert {(f["source"], f["error"]) for f in preview.failed} == {(f["source"], f["error"]) for f in result.failed}


def test_nothing_is_written_where_there_is_something(mixed, tmp_path):
    ingest([str(mixed)])
    open_catalog().database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    before = contents(tmp_path / "home")
    (mixed / "new.md").write_text("# New", encoding="utf-8")
    preview_ingest([str(mixed)])
    preview_ingest([str(mixed)], "other")
    open_catalog().database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert contents(tmp_path / "home") == before
    assert open_catalog().collections.names() == ["default"]


def test_why_a_file_is_read_again(notes, pipelines):
    ingest([str(notes)])
    Documents(open_catalog().database).record_failure("default", str(notes / "fish.txt"), "was locked", "unlock it")
    (notes / "birds.md").write_text("# Herons", encoding="utf-8")
    why = {names([entry["source"]])[0]: entry["why"] for entry in preview_ingest([str(notes)]).changed}
    assert why == {"fish.txt": "failed before", "birds.md": "its content is another"}
    edit(pipelines / "ingest.yaml", shipped("ingest", r"chunk_size: \d+"), "chunk_size: 701")
    assert preview_ingest([str(notes / "预算.md")]).changed[0]["why"].startswith("the graph's stages")


def test_force_of_the_graph_is_foretold(notes, pipelines):
    forced = "IntegrityCheck\n    init_parameters: {force: true}"
    edit(pipelines / "ingest.yaml", "IntegrityCheck\n    init_parameters: {}", forced)
    ingest([str(notes)])
    changed = preview_ingest([str(notes)]).changed
    assert all("takes all files" in entry["why"] for entry in changed)
    assert len(changed) == 3


def test_a_file_too_large_for_the_graph_is_foretold(notes, pipelines):
    (notes / "big.pdf").write_bytes(b"%PDF" * 5000)
    assert names(preview_ingest([str(notes / "big.pdf")]).new) == ["big.pdf"]
    edit(pipelines / "ingest.yaml", "timeout_s: 60", "timeout_s: 60\n      max_mb: 0.01")
    (failure,) = preview_ingest([str(notes / "big.pdf")]).failed
    assert "0.01 MB" in failure["error"]


def test_what_ingest_refuses_is_refused(notes):
    with pytest.raises(GraphError, match="is of kind 'query'"):
        preview_ingest([str(notes)], graph_name="query")
    with pytest.raises(KhubError, match="'page' is a field"):
        preview_ingest([str(notes)], meta={"page": 1})
    ingest([str(notes)])
    with pytest.raises(BindingError):
        preview_ingest([str(notes)], graph_name="ingest_fast")


def test_rows_are_foretold(tmp_path):
    table = tmp_path / "t.jsonl"
    rows = [{"id": n, "text": f"number {n}", "page": n} for n in range(4)]
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    first = preview_rows([str(table)])
    assert (len(first.new), first.is_new, first.graph) == (4, True, "ingest_rows")
    assert "column_page" in first.degraded[0]["reason"]
    assert not (tmp_path / "home").exists()
    ingest_rows([str(table)])
    rows = [rows[0], {**rows[1], "text": "another"}, {**rows[2], "text": " "}, {"id": 9, "text": "x"}]
    table.write_text("\n".join(map(json.dumps, [*rows, {"id": 9}])), encoding="utf-8")
    preview = preview_rows([str(table)])
    assert [names(preview.new), names(preview.unchanged)] == [["t.jsonl#row=9"], ["t.jsonl#row=0"]]
    assert names(entry["source"] for entry in preview.changed) == ["t.jsonl#row=1"]
    again, empty = (failure["error"] for failure in preview.failed)
    assert ("row 5 " in again, "'9'" in again, "row 4 " in again, "no text" in empty) == (True, True, True, True)
    assert preview.removed == []


def test_pruning_and_columns_are_foretold(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("id,text,note\n1,one,eins\n2,two,zwei\n", encoding="utf-8")
    ingest_rows([str(table)])
    assert len(preview_rows([str(table)], columns=Columns(text="note")).changed) == 2
    table.write_text("id,text,note\n1,one,eins\n", encoding="utf-8")
    assert names(preview_rows([str(table)], prune=True).removed) == ["t.csv#row=2"]
    assert preview_rows([str(table)]).removed == []


def test_files_that_were_sent_are_looked_at_where_they_lie(tmp_path):
    places = [str(tmp_path / "kept" / name) for name in ("same.md", "other.md", "new.md", "empty.md", "binary.txt")]
    (tmp_path / "kept").mkdir()
    for place in places[:2]:
        Path(place).write_text("# Kept\n\nAs it was.\n", encoding="utf-8")
    ingest(places[:2])
    coming = tmp_path / "coming"
    coming.mkdir()
    contents = [b"# Kept\n\nAs it was.\n", b"# Kept\n\nNot as it was.\n", b"# New\n\nNew.\n", b"", b"\x00\x01\x02"]
    parts = [(coming / str(number), place.rpartition("/")[2]) for number, place in enumerate(places)]
    for (part, _), content in zip(parts, contents, strict=True):
        part.write_bytes(content)
    preview = preview_sent(prepare_ingest("ingest", "default"), parts, places, "default")
    assert preview.unchanged == places[:1]
    assert [one["source"] for one in preview.changed] == places[1:2]
    assert preview.new == places[2:3]
    assert {one["source"] for one in preview.failed} == set(places[3:])
    assert all(one["source"].rpartition("/")[2] in one["error"] for one in preview.failed)
