"""The catalog's file: damaged, newer, shared."""

import sqlite3
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.database import SCHEMA_VERSION
from khub.components.catalog.sqlite_database import IDLE_CONNECTIONS
from khub.components.catalog.sqlite_database import SqliteDatabase as Database
from khub.components.errors import StoreError
from khub.components.home import hub_home
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

CONTENTS = "SELECT chunk_id, content, page_first, tokens FROM chunks"


@pytest.fixture
def database(tmp_path):
    database = Database(tmp_path / "deep" / "catalog.sqlite3")
    yield database
    database.close()


def insert(connection, name):
    connection.execute(
        "INSERT INTO collections (name, slug, dense_generation, sparse_generation, created_at, updated_at) "
        "VALUES (?, ?, 1, 1, '', '')",
        (name, name),
    )


def names(database):
    return [row["name"] for row in database.rows("SELECT name FROM collections ORDER BY name")]


def made(database):
    """Make the file, with nothing in it."""
    with database.transaction():
        pass
    database.close()


def test_reading_makes_nothing_and_what_is_written_then_is_seen(database):
    assert names(database) == []
    assert list(database.stream("SELECT * FROM chunks")) == []
    assert database.row("SELECT last FROM generations") is not None
    assert not database.path.parent.exists()
    with database.transaction() as connection:
        insert(connection, "first")
    assert names(database) == ["first"]
    assert database.path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a path below a file is only missing there")
def test_reading_says_that_the_home_is_no_folder(tmp_path):
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot be used"):
        names(Database(tmp_path / "home" / "catalog.sqlite3"))


def test_transaction_is_kept_whole_or_not_at_all(database):
    with database.transaction() as connection:
        insert(connection, "kept")

    def fail():
        with database.transaction() as connection:
            insert(connection, "lost")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert names(database) == ["kept"]


@pytest.mark.parametrize("content", [b"this is no database, but quite long enough to be looked at " * 20, b"SQLite"])
def test_garbage_is_a_store_error_with_its_remedy(database, content):
    database.path.parent.mkdir(parents=True)
    database.path.write_bytes(content)
    with raises_code("store_failed") as error:
        names(database)
    assert str(database.path) in error.value.message


def test_page_that_breaks_while_it_is_open_is_a_store_error(database):
    with database.transaction() as connection:
        for n in range(2000):
            insert(connection, f"collection number {n}")
        connection.execute("SELECT 1")
    database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    size = database.path.stat().st_size
    with database.path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xa5" * (size - 8192))
    again = Database(database.path)
    with pytest.raises(StoreError, match="cannot be used"):
        names(again)
    again.close()


def test_schema_of_a_newer_version_is_refused(database):
    made(database)
    connection = sqlite3.connect(database.path)
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with raises_code("store_newer", "99", SCHEMA_VERSION):
        names(Database(database.path))


def test_catalog_of_the_first_version_is_upgraded_and_files_with_pages_are_read_again(database):
    made(database)
    connection = sqlite3.connect(database.path)
    connection.executescript(
        "ALTER TABLE chunks DROP COLUMN page_first; ALTER TABLE chunks DROP COLUMN tokens; "
        "ALTER TABLE collections DROP COLUMN changes_from; PRAGMA user_version=1;"
        "INSERT INTO collections (name, slug, dense_generation, sparse_generation, created_at, updated_at)"
        " VALUES ('old', 'old', 1, 2, '', '');"
        "INSERT INTO documents (doc_id, collection, source, status, recipe, pages, updated_at)"
        " VALUES ('a', 'old', '/a.pdf', 'ready', 'r', 3, ''), ('b', 'old', '/b.md', 'ready', 'r', NULL, '');"
        "INSERT INTO chunks VALUES ('c', 1, 'a', 'old', 0, 'herons', '', 2, 3, 0, 6, 'en', 'h', '{}');"
    )
    connection.close()
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda _: names(Database(database.path)), range(2))) == [["old"], ["old"]]
    upgraded = Database(database.path)
    assert [tuple(row) for row in upgraded.rows("SELECT page_first, page, page_last FROM chunks")] == [(2, 2, 3)]
    assert [tuple(row) for row in upgraded.rows("SELECT doc_id, recipe FROM documents ORDER BY 1")] == [
        ("a", None),
        ("b", "r"),
    ]
    upgraded.close()


def test_catalog_whose_chunks_have_no_tokens_is_upgraded_and_keeps_them(database):
    made(database)
    connection = sqlite3.connect(database.path)
    connection.executescript(
        "ALTER TABLE chunks DROP COLUMN tokens; "
        "ALTER TABLE collections DROP COLUMN changes_from; PRAGMA user_version=5;"
        "INSERT INTO documents (doc_id, collection, source, status, version, updated_at)"
        " VALUES ('a', 'old', '/a.md', 'ready', 1, '');"
        "INSERT INTO chunks VALUES ('c', 1, 'a', 'old', 0, 'herons', '', 2, 3, 0, 6, 'en', 'h', '{}', 2);"
    )
    connection.close()
    with ThreadPoolExecutor(4) as pool:
        databases = [Database(database.path) for _ in range(4)]
        found = list(pool.map(lambda one: [tuple(row) for row in one.rows(CONTENTS)], databases))
    assert found == [[("c", "herons", 2, None)]] * 4
    assert databases[0].row("PRAGMA user_version")[0] == SCHEMA_VERSION
    for one in databases:
        one.close()


def test_those_who_make_a_file_at_the_same_time_wait_for_each_other(tmp_path):
    def make(database, start):
        start.wait()
        with database.transaction() as connection:
            return connection.execute("PRAGMA journal_mode").fetchone()[0]

    with ThreadPoolExecutor(12) as pool:
        for n in range(25):
            start = threading.Barrier(12)
            one, others = Database(tmp_path / str(n) / "c"), [Database(tmp_path / str(n) / "c") for _ in range(11)]
            assert set(pool.map(make, [one, *others], [start] * 12)) == {"wal"}


def test_threads_write_and_read_at_once(database):
    def work(n):
        with database.transaction() as connection:
            insert(connection, f"c{n:03}")
        return len(names(database))

    with ThreadPoolExecutor(12) as pool:
        seen = list(pool.map(work, range(60)))
    assert len(names(database)) == 60
    assert min(seen) >= 1
    assert len(database._idle) <= IDLE_CONNECTIONS


def test_stream_shows_one_snapshot_beside_a_writer(database):
    with database.transaction() as connection:
        for n in range(10):
            insert(connection, f"c{n}")
    rows = database.stream("SELECT name FROM collections ORDER BY rowid")
    first = next(rows)["name"]
    with database.transaction() as connection:
        insert(connection, "late")
        connection.execute("DELETE FROM collections WHERE name = 'c9'")
    assert [first, *(row["name"] for row in rows)] == [f"c{n}" for n in range(10)]
    assert "late" in names(database)


def test_mistake_in_sql_is_not_called_damage(database):
    with pytest.raises(sqlite3.OperationalError):
        database.rows("SELECT nothing FROM nowhere")


def test_catalog_is_one_object_per_folder(tmp_path, monkeypatch):
    catalog = open_catalog()
    assert catalog is open_catalog()
    assert catalog.home == hub_home()
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "other"))
    assert open_catalog() is not catalog
    assert Catalog(tmp_path / "third").database.path == tmp_path / "third" / "catalog.sqlite3"
