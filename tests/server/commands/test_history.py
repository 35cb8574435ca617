"""`khub history` and `khub stats`."""

import pytest

from khub.components.home import hub_home

pytestmark = pytest.mark.integration


def test_every_ingest_is_listed_with_what_came_of_it(khub, khub_json, files):
    assert khub("history").exit_code == 0
    assert khub_json("history") == {"total": 0, "ingests": []}
    khub("ingest", files, "--dry-run")
    khub("sync", files, "--dry-run")
    assert not hub_home().exists()
    khub("ingest", files, "--meta", "year=2026")
    (files / "empty.md").write_text("", encoding="utf-8")
    khub("sync", files, "--collection", "other")
    khub("sync", files, "--dry-run")
    assert khub("ingest", files, "--graph", "query").exit_code == 1  # refused before any work

    refused, synced, ingested = khub_json("history")["ingests"]
    assert (refused["state"], refused["by"], bool(refused["error"])) == ("failed", "khub ingest", True)
    assert (synced["state"], synced["by"], synced["collection"]) == ("finished", "khub sync", "other")
    assert (synced["written"], synced["failed"], synced["sources"]) == (3, 1, [str(files)])
    assert synced["failures"][0]["remedy"]
    assert (ingested["written"], ingested["unchanged"], ingested["removed"]) == (3, 0, 0)
    assert ingested["seconds"] > 0
    assert [one["by"] for one in khub_json("history", "--collection", "other")["ingests"]] == ["khub sync"]
    assert [one["error"] for one in khub_json("history", "--state", "failed")["ingests"]] == [refused["error"]]
    assert khub_json("history", "--limit", "1")["total"] == 3
    listed = khub("history").stdout.splitlines()
    assert len(listed) == 4
    assert "khub sync" in listed[2]


def test_closed_files_are_not_named(khub, khub_json, files, monkeypatch):
    paths = sorted(path for path in files.iterdir() if path.suffix in (".md", ".txt"))
    khub("ingest", paths[0], "--meta", "access_level=public")
    khub("ingest", *paths[1:], "--meta", "access_level=secret")
    monkeypatch.setenv("KHUB_ACCESS", "public")
    told = khub_json("history")["ingests"]
    assert [one["sources"] for one in told] == [[], [str(paths[0])]]
    assert told[0]["written"] == len(paths[1:]) > 0


def test_rows_of_a_table_are_an_ingest_too(khub, khub_json, tmp_path):
    table = tmp_path / "rows.csv"
    table.write_text("id,text\n1,Herons wade.\n2,Kingfishers dive.\n", encoding="utf-8")
    khub("import", table)
    (ingested,) = khub_json("history")["ingests"]
    assert (ingested["written"], ingested["sources"], ingested["graph"]) == (2, [str(table)], "ingest_rows")


def test_stats_count_what_there_is_and_its_room_on_the_disk(khub, khub_json, filled):
    (filled / "empty.md").write_text("", encoding="utf-8")
    khub("ingest", filled)
    told = khub_json("stats")
    (about,) = told["collections"]
    assert (about["collection"], about["documents"], about["failed"]) == ("default", 3, 1)
    assert sum(about["types"].values()) == sum(about["languages"].values()) == 3
    assert about["chunks"] >= 3
    assert all(told["bytes"][part] > 0 for part in ("catalog", "vectors", "keywords", "originals", "traces", "logs"))
    shown = khub("stats").stdout
    assert "default" in shown
    assert "keywords" in shown


def test_stats_tell_of_what_is_opened_alone(khub, khub_json, files, monkeypatch):
    khub("ingest", files / "notes.txt", "--meta", "access_level=public")
    khub("ingest", files, "--collection", "closed")
    monkeypatch.setenv("KHUB_ACCESS", "public")
    told = khub_json("stats")
    assert [(one["collection"], one["documents"]) for one in told["collections"]] == [("default", 1)]
    assert told["bytes"] == {}


def test_where_there_is_no_hub_none_is_made(khub):
    assert "no collection yet" in khub("stats").stderr
    assert not hub_home().exists()
