"""What a person has said of a document holds when its file is read again."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.server.library.edits import edit_document
from khub.server.library.ingest import ingest
from khub.server.library.ingest_rows import ingest_rows
from khub.server.library.sync import apply_sync, plan_sync

pytestmark = pytest.mark.integration

GIVEN = {"access_level": "secret", "team": "birds"}


@pytest.fixture(autouse=True)
def _shipped(pipelines):
    pass


@pytest.fixture
def note(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "storks.md").write_text("# Storks\n\nStorks nest on roofs.\n", encoding="utf-8")
    path = folder / "herons.md"
    path.write_text("---\nauthor: Ann\n---\n# Herons\n\nHerons eat fish.\n", encoding="utf-8")
    assert not ingest([str(folder)], meta=GIVEN).failed
    return path


def said(path):
    meta = open_catalog().documents.find("default", str(path))["meta"]
    return {key: meta.get(key) for key in (*GIVEN, "author")}


def sync(path):
    return apply_sync(plan_sync(str(path.parent)))


def test_it_holds_when_the_file_has_changed(note):
    note.write_text("---\nauthor: Bea\n---\n# Herons\n\nHerons eat frogs.\n", encoding="utf-8")
    sync(note)

    assert said(note) == {**GIVEN, "author": "Bea"}  # of the file itself the file says it


def test_it_holds_when_the_file_has_another_name(note):
    new = note.rename(note.with_name("birds.md"))
    sync(new)

    assert said(new) == {**GIVEN, "author": "Ann"}


def test_a_copy_is_another_file(note):
    copy = note.with_name("copy.md")
    copy.write_bytes(note.read_bytes())
    sync(copy)

    assert said(copy)["access_level"] is None


def test_what_is_said_now_holds_instead(note):
    note.write_text("# Herons\n\nHerons eat frogs.\n", encoding="utf-8")
    ingest([str(note)], meta={"team": "fish"})

    assert said(note) == {"access_level": "secret", "team": "fish", "author": None}


def test_a_file_that_says_otherwise_now_is_heeded(note):
    note.write_text("---\naccess_level: board\n---\n# Herons\n\nHerons eat fish.\n", encoding="utf-8")
    sync(note)

    assert said(note)["access_level"] == "board"


def test_an_edit_is_given_too_and_what_was_taken_away_stays_away(note):
    edit_document(open_catalog().documents.find("default", str(note)), None, {"author": "Cay", "team": None})
    note.write_text("---\nauthor: Ann\n---\n# Herons\n\nHerons eat frogs.\n", encoding="utf-8")
    sync(note)

    assert said(note) == {"access_level": "secret", "team": None, "author": "Cay"}


def test_a_level_that_a_file_says_itself_changes_with_it(tmp_path):
    path = tmp_path / "notes" / "herons.md"
    path.parent.mkdir()
    for level in ("secret", "public"):
        path.write_text(f"---\naccess_level: {level}\n---\n# Herons\n\nHerons eat fish.\n", encoding="utf-8")
        sync(path)

        assert said(path)["access_level"] == level


def test_a_document_of_before_keeps_its_level(note):
    with open_catalog().database.transaction() as connection:
        connection.execute("UPDATE documents SET meta = json_remove(meta, '$.given_metadata')")
    note.write_text("# Herons\n\nHerons eat frogs.\n", encoding="utf-8")
    sync(note)

    assert said(note)["access_level"] == "secret"


def test_rows_keep_it_and_a_column_changes_what_it_said(tmp_path):
    table = tmp_path / "birds.csv"
    for food, level in (("fish", "secret"), ("frogs", "public")):
        table.write_text(f"text,access_level\nHerons eat {food}.,{level}\n", encoding="utf-8")
        meta = {"team": "birds"} if food == "fish" else {}
        assert not ingest_rows([str(table)], meta=meta).failed
        [row] = open_catalog().documents.of_collection("default")

        assert (row["meta"]["access_level"], row["meta"]["team"]) == (level, "birds")
