"""`khub ingest --dry-run` and `khub sync --dry-run`."""

import pytest

from khub.components.catalog.catalog import open_catalog

pytestmark = pytest.mark.integration

KNOWN_TO_FAIL = "known to fail (contents are not read)"


def test_nothing_is_written(khub, files, tmp_path):
    (files / "empty.md").write_bytes(b"")
    result = khub("ingest", files, "--dry-run")
    assert result.exit_code == 1
    lines = [line.split("\t") for line in result.stdout.splitlines()]
    assert lines[0] == ["would be", "source", "why"]
    assert sorted(line[0] for line in lines[1:-1]) == ["new"] * 3
    counts = f"3 new, 0 changed, 0 unchanged, 1 {KNOWN_TO_FAIL}"
    assert lines[-1] == [f"default (it would be made): {counts}; nothing was written"]
    assert f"khub: {files / 'empty.md'}: is empty" in result.stderr
    assert not (tmp_path / "home").exists()


def test_what_changed_is_shown(khub, khub_json, filled):
    (filled / "notes.txt").write_text("Another text.", encoding="utf-8")
    (filled / "x.bin").write_bytes(b"\0")
    result = khub("ingest", filled, "--dry-run")
    assert result.exit_code == 0
    changed = [line for line in result.stdout.splitlines() if line.startswith("changed\t")]
    assert [line.split("\t")[2] for line in changed] == ["its content is another"]
    assert f"0 new, 1 changed, 2 unchanged, 0 {KNOWN_TO_FAIL}, 1 passed over (kind not read)" in result.stdout
    report = khub_json("ingest", filled, "--dry-run", "-c", "other")
    assert (report["is_new"], len(report["new"]), report["collection"]) == (True, 3, "other")
    assert open_catalog().collections.names() == ["default"]


def test_rows(khub, khub_json, files, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("id,text,body\n1,one,x\n2,two,\n", encoding="utf-8")
    assert len(khub_json("import", table, "--dry-run")["new"]) == 2
    failed = khub_json("import", table, "--dry-run", "--text-column", "body", code=1)["failed"]
    assert failed[0]["source"] == f"{table}#row=2"
    assert not (tmp_path / "home").exists()


def test_sync(khub, khub_json, filled):
    (filled / "ember.md").rename(filled / "robot.md")
    (filled / "notes.txt").unlink()
    result = khub("sync", filled, "--dry-run")
    rows = {tuple(line.split("\t")) for line in result.stdout.splitlines()[1:-1]}
    assert {(what, name.replace("\\", "/"), why.replace("\\", "/")) for what, name, why in rows} == {
        ("new", "files/robot.md", "renamed from files/ember.md"),
        ("removed", "files/ember.md", "renamed"),
        ("removed", "files/notes.txt", ""),
    }
    assert f"1 new, 0 changed, 1 unchanged, 0 {KNOWN_TO_FAIL}, 2 would be removed; nothing was written" in result.stdout
    assert khub_json("sync", filled, "--dry-run")["renamed"] == [
        {"from": str(filled / "ember.md"), "to": str(filled / "robot.md")}
    ]
    assert len(khub_json("list")["documents"]) == 3
