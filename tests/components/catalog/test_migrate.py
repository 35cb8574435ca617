"""Tables of an earlier version, and the way back to them."""

import contextlib
import sqlite3
import subprocess
import sys

import pytest

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.database import SCHEMA_VERSION
from khub.components.catalog.migrate import FIRST
from khub.components.catalog.migrations.__main__ import main
from khub.components.catalog.sqlite_database import SqliteDatabase
from khub.components.errors import OptionError
from tests.error_codes import raises_code

pytestmark = [pytest.mark.unit, pytest.mark.usefixtures("in_a_file")]

OBJECTS = "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name"


def objects(path):
    """Return what is there, tables with their columns."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        found = connection.execute(OBJECTS).fetchall()
        return [
            (kind, name, sorted(tuple(column)[1:] for column in connection.execute(f"PRAGMA table_info({name})")))
            for kind, name in found
        ]


def triggers(path):
    return {name for kind, name, _ in objects(path) if kind == "trigger"}


@pytest.fixture
def earlier(tmp_path, publish):
    """The path of a catalog as the first release with migrations left it, with a document in it."""
    publish("herons", ["Herons wade."])
    database = open_catalog().database
    database.change_version(FIRST)
    database.close()
    return database.path


def test_an_earlier_catalog_is_brought_here_and_a_copy_of_it_stays(earlier):
    assert "images_deleted" in triggers(earlier)
    database = SqliteDatabase(earlier)
    assert [row["content"] for row in database.rows("SELECT content FROM chunks")] == ["Herons wade."]
    database.close()
    assert not triggers(earlier)
    copy = earlier.with_name(f"catalog-{FIRST}.sqlite3")
    assert "images_deleted" in triggers(copy)
    assert copy.stat().st_mode & 0o077 == 0 or sys.platform == "win32"
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == FIRST
        assert connection.execute("SELECT content FROM chunks").fetchall() == [("Herons wade.",)]


def test_a_catalog_that_came_here_has_what_a_new_one_has(earlier, tmp_path):
    Catalog(earlier.parent).collections.names()
    new = Catalog(tmp_path / "new")
    new.collections.create("docs")
    assert objects(earlier) == objects(new.database.path)


def test_the_triggers_of_an_earlier_release_work_again_after_the_way_back(earlier):
    with contextlib.closing(sqlite3.connect(earlier, isolation_level=None)) as connection:
        connection.execute("INSERT INTO originals SELECT doc_id, 'ab', '.md' FROM documents")
        connection.execute("INSERT INTO duplicates SELECT chunk_id, version, 'other' FROM chunks")
        connection.execute("DELETE FROM chunks")
        connection.execute("DELETE FROM documents")
        assert connection.execute("SELECT * FROM unused_originals").fetchall() == [("ab", ".md")]
        assert connection.execute("SELECT * FROM duplicates").fetchall() == []


def test_nothing_is_changed_where_a_step_fails(earlier, monkeypatch):
    monkeypatch.setattr("khub.components.catalog.sqlite_database.steps", lambda *_: "DROP TABLE documents;\nNO SQL;")
    before = objects(earlier)
    with raises_code("store_failed", "NO"):
        SqliteDatabase(earlier).rows("SELECT 1")
    assert objects(earlier) == before


@pytest.mark.e2e
def test_the_way_back_is_a_command(publish):
    publish("herons", ["Herons wade."])
    path = open_catalog().database.path
    command = [sys.executable, "-m", "khub.components.catalog.migrations"]
    subprocess.run([*command, str(FIRST)], check=True)
    assert triggers(path)
    subprocess.run([*command, str(SCHEMA_VERSION)], check=True)
    assert not triggers(path)


@pytest.mark.parametrize("words", [[], ["7"], [str(SCHEMA_VERSION + 1)], ["x"], ["8", "9"]])
def test_a_version_that_is_none_is_refused(words):
    with raises_code(OptionError.code, FIRST, SCHEMA_VERSION):
        main(words)
