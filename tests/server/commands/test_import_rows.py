"""`khub import`, and what came of it."""

import json

import pytest

pytestmark = pytest.mark.integration

ROWS = [
    {
        "id": 7,
        "sku": "A1",
        "name": "Ember",
        "text": "The Ember robot walks.",
        "body": "Ember has six legs.",
        "year": 2024,
    },
    {"id": 8, "sku": "B2", "name": "Beacon", "text": "The Beacon blinks.", "body": "Beacon has a lamp.", "year": 2025},
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "things.jsonl"
    path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return path


def listed(khub_json):
    return {row["source"].partition("#row=")[2]: row for row in khub_json("list")["documents"]}


def test_rows_are_listed_shown_found_and_deleted(khub, khub_json, table):
    result = khub("import", table)
    assert "default: 2 new or changed (2 chunks)" in result.stdout
    assert "ingest 2/2 rows" in result.stderr
    assert sorted(listed(khub_json)) == ["7", "8"]
    assert "things.jsonl#row=7" in khub("list").stdout
    row = khub_json("show", "things.jsonl#row=7", "--chunks")
    assert (row["doc_type"], row["meta"]["year"], row["passages"][0]["content"]) == ("row", 2024, ROWS[0]["text"])
    assert (
        khub_json("query", "Does the Beacon blink?", "--filter", "year=2025")["citations"][0]["text"]
        == "The Beacon blinks."
    )
    assert "2 unchanged" in khub("import", table).stdout
    assert "deleted" in khub("delete", "things.jsonl#row=7").stdout
    assert list(listed(khub_json)) == ["8"]


def test_the_name_of_the_table_deletes_all_its_rows(khub_json, table):
    khub_json("import", table)
    assert len(khub_json("delete", "things.jsonl")["deleted"]) == 2
    assert listed(khub_json) == {}


def test_columns_are_chosen(khub_json, table):
    khub_json(
        "import", table, "--text-column", "body", "--title-column", "name", "--id-column", "sku",
        "--meta", "team=a",
    )  # fmt: skip
    rows = listed(khub_json)
    assert {key: row["title"] for key, row in rows.items()} == {"A1": "Ember", "B2": "Beacon"}
    assert rows["A1"]["meta"]["text"] == ROWS[0]["text"]
    assert rows["A1"]["meta"]["team"] == "a"
    assert khub_json("show", "things.jsonl#row=A1", "--chunks")["passages"][0]["content"] == ROWS[0]["body"]


def test_prune_removes_rows_that_are_gone(khub, khub_json, table):
    khub_json("import", table)
    table.write_text(json.dumps(ROWS[0]), encoding="utf-8")
    assert khub_json("import", table)["removed"] == []
    assert "1 unchanged, 0 failed, 1 removed" in khub("import", table, "--prune").stdout
    assert list(listed(khub_json)) == ["7"]


def test_mistakes_are_told(khub, khub_json, table, files):
    result = khub("import", table, files / "notes.txt", files / "gone.csv", "--text-column", "nothing")
    assert result.exit_code == 1
    assert result.stderr.count("khub: ") == 4
    assert "has no column 'nothing'" in result.stderr
    assert f"khub: {files / 'notes.txt'}: " in result.stderr
    assert ".jsonl" in result.stderr
    assert khub("import", table, "--graph", "ingest").stderr.startswith("khub: graph 'ingest' takes files")
    assert "khub import" in khub("ingest", table, "--graph", "ingest_rows").stderr
