"""The catalog in PostgreSQL: what is there, what is written, and what is said when it is not there."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.database import SCHEMA_VERSION
from tests.error_codes import raises_code

postgres_database = pytest.importorskip("khub.components.catalog.postgres_database", reason="pip install psycopg")
PostgresDatabase = postgres_database.PostgresDatabase

pytestmark = pytest.mark.integration

INSERT = (
    "INSERT INTO collections (name, slug, dense_generation, sparse_generation, created_at, updated_at) "
    "VALUES (?, ?, 1, 1, '', '')"
)


@pytest.fixture
def url(new_database):
    return new_database()


@pytest.fixture
def database(url):
    database = PostgresDatabase(url)
    yield database
    database.close()


def insert(connection, name):
    connection.execute(INSERT, (name, name))


def names(database):
    return [row["name"] for row in database.rows("SELECT name FROM collections ORDER BY name")]


def test_reading_makes_nothing_and_what_is_written_then_is_seen(database, url):
    assert not database.exists()
    assert names(database) == []
    assert database.row("SELECT COUNT(*) FROM documents") is None
    assert list(database.stream("SELECT * FROM chunks")) == []
    with database.transaction() as connection:
        insert(connection, "first")
    assert names(database) == ["first"]
    assert PostgresDatabase(url).exists()


def test_a_row_gives_its_values_by_number_and_by_name(database):
    with database.transaction() as connection:
        insert(connection, "one")
        row = connection.execute("SELECT name, commits FROM collections").fetchone()
    assert (row[0], row["commits"], tuple(row), dict(row)) == ("one", 0, ("one", 0), {"name": "one", "commits": 0})


def test_a_transaction_is_kept_whole_or_not_at_all(database):
    with database.transaction() as connection:
        insert(connection, "kept")

    def fail():
        with database.transaction() as connection:
            insert(connection, "lost")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert names(database) == ["kept"]


def test_one_writes_at_a_time_whatever_process_it_is_of(url):
    """Each reads a number and writes the next: with two at once, some would be written twice."""
    databases = [PostgresDatabase(url) for _ in range(4)]
    start = threading.Barrier(len(databases))

    def count(database):
        start.wait()
        for _ in range(10):
            with database.transaction() as connection:
                last = connection.execute("SELECT last FROM generations").fetchone()[0]
                connection.execute("UPDATE generations SET last = ?", (last + 1,))

    with ThreadPoolExecutor(len(databases)) as threads:
        list(threads.map(count, databases))
    assert databases[0].row("SELECT last FROM generations")[0] == 10 * len(databases)
    for database in databases:
        database.close()


def test_those_who_make_the_tables_at_the_same_time_wait_for_each_other(url):
    databases = [PostgresDatabase(url) for _ in range(6)]
    start = threading.Barrier(len(databases))

    def make(number):
        start.wait()
        with databases[number].transaction() as connection:
            insert(connection, f"c{number}")

    with ThreadPoolExecutor(len(databases)) as threads:
        list(threads.map(make, range(len(databases))))
    assert len(names(databases[0])) == len(databases)
    for database in databases:
        database.close()


def test_a_stream_shows_one_snapshot_beside_a_writer(database):
    with database.transaction() as connection:
        for number in range(3000):
            insert(connection, f"c{number:04}")
    rows = database.stream("SELECT name FROM collections ORDER BY rowid")
    first = next(rows)["name"]
    with database.transaction() as connection:
        insert(connection, "late")
        connection.execute("DELETE FROM collections WHERE name = 'c2999'")
    assert [first, *(row["name"] for row in rows)] == [f"c{number:04}" for number in range(3000)]


def test_what_no_text_of_the_database_may_hold_is_left_out(database):
    with database.transaction() as connection:
        insert(connection, "a\0b")
    assert names(database) == ["ab"]


@pytest.mark.parametrize(
    ("sign", "text"), [("%", "100 %"), ("%s", "%s"), ("\\", "a\\b"), ("'", "it's"), ("识", "知识库")]
)
def test_values_are_not_read_as_sql(database, sign, text):
    with database.transaction() as connection:
        insert(connection, text)
    assert database.row("SELECT name FROM collections WHERE instr(name, ?) > 0", (sign,))["name"] == text


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("a*", "abc", True), ("*c", "abc", True), ("a?c", "abc", True), ("a.c", "abc", False), ("a", "abc", False),
        ("(a|b)*", "(a|b)\nc", True), ("[[]x]", "[x]", True), ("^a$", "^a$", True), ("\\*", "\\abc", True),
        ("*", "", True), ("知?库", "知识库", True), ("{1}+", "{1}+", True),
    ],
)  # fmt: skip
def test_patterns_are_those_of_a_shell(database, pattern, text, matches):
    with database.transaction() as connection:
        assert connection.execute("SELECT glob(?, ?)", (pattern, text)).fetchone()[0] is matches


@pytest.mark.parametrize(
    ("path", "found", "kind"),
    [
        ("$.a", "1", "integer"), ("$.b", "1.5", "real"), ("$.c", "x", "text"), ("$.d", "true", "true"),
        ("$.e", None, "null"),
        ("$.f.g", "deep", "text"), ('$."h i"', "named", "text"), ('$."j\\"', None, None), ("$.absent", None, None),
    ],
)  # fmt: skip
def test_json_is_read_as_sqlite_reads_it(database, path, found, kind):
    text = json.dumps({"a": 1, "b": 1.5, "c": "x", "d": True, "e": None, "f": {"g": "deep"}, "h i": "named"})
    with database.transaction() as connection:
        row = connection.execute("SELECT json_extract(?, ?), json_type(?, ?)", (text, path, text, path)).fetchone()
    assert tuple(row) == (found, kind)


def test_a_machine_whose_clock_is_off_is_refused(url, monkeypatch):
    monkeypatch.setattr(time, "time", lambda here=time.time: here() + 3600)
    with raises_code("clock_off", "3600 s ahead of"):
        names(PostgresDatabase(url))
    monkeypatch.setattr(time, "time", lambda here=time.time: here() - 7200)
    with raises_code("clock_off", "3600 s behind"):
        PostgresDatabase(url).exists()


def test_a_catalog_of_a_newer_version_is_refused(database, url):
    with database.transaction() as connection:
        connection.execute("UPDATE catalog_version SET number = 99")
    with raises_code("store_newer", "99", SCHEMA_VERSION):
        names(PostgresDatabase(url))


def test_a_catalog_of_an_earlier_version_is_brought_here(database, url):
    with database.transaction() as connection:
        insert(connection, "kept")
    database.change_version(SCHEMA_VERSION - 1)
    later = PostgresDatabase(url)
    assert names(later) == ["kept"]
    assert later.row("SELECT number FROM catalog_version")[0] == SCHEMA_VERSION


def test_a_connection_that_the_server_has_ended_is_replaced(database, url):
    with database.transaction() as connection:
        insert(connection, "kept")
    ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> "
    PostgresDatabase(url).rows(f"{ended}pg_backend_pid()")
    assert names(database) == ["kept"]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("postgresql://khub:secret@127.0.0.1:9/khub", "127.0.0.1"),
        ("postgresql://khub:secret@no-such-host.invalid/khub", "no-such-host.invalid"),
    ],
)
def test_a_server_that_is_not_there_is_told_in_one_line_without_the_password(wrong, named):
    with raises_code("store_unreachable", named, "KHUB_DATABASE_URL") as error:
        PostgresDatabase(wrong).exists()
    assert "secret" not in str(error.value)


def test_a_role_and_a_database_that_are_not_there_are_told(postgres):
    for part, name in (("postgres:", "nobody:"), ("/postgres?", "/nothing?")):
        url = postgres.get_uri("postgres").replace(part, name, 1)
        assert url != postgres.get_uri("postgres")
        with raises_code("store_unreachable", name.strip(":/?")):
            PostgresDatabase(url).exists()


def test_an_address_that_is_none_is_told(monkeypatch, tmp_path):
    with raises_code("setting_invalid", "mysql"):
        Catalog(tmp_path, "mysql://db/khub")
    with raises_code("setting_invalid", "KHUB_DATABASE_URL"):
        Catalog(tmp_path, "postgresql://[::1/khub")


def test_the_address_in_the_environment_is_the_hubs(url, monkeypatch):
    assert not isinstance(open_catalog().database, PostgresDatabase)
    monkeypatch.setenv("KHUB_DATABASE_URL", url)
    assert isinstance(open_catalog().database, PostgresDatabase)
    assert open_catalog() is open_catalog()
    open_catalog().database.close()
