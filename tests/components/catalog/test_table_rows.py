"""Tables as all databases have them, and what tells whether two have the same rows."""

import pytest

from khub.components.catalog.schema import table_named, tables
from khub.components.catalog.sqlite_database import SqliteDatabase
from khub.components.catalog.table_rows import count_of, digest_of, rows_of, write_rows

pytestmark = pytest.mark.unit

CHUNKS, VECTORS, KEYS = table_named("chunks"), table_named("vectors"), table_named("chunk_keys")
ROWS = [("a", "f", b"\x00\x01"), ("b", "f", b"\x02")]


@pytest.fixture
def database(tmp_path):
    database = SqliteDatabase(tmp_path / "catalog.sqlite3")
    yield database
    database.close()


def test_all_tables_of_a_catalog_are_there_each_behind_those_that_it_refers_to(database):
    with database.transaction() as connection:
        there = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert sorted(table.name for table in tables()) == sorted(there)
        for number, table in enumerate(tables()):
            targets = {row["table"] for row in connection.execute(f"PRAGMA foreign_key_list({table.name})")}
            assert targets <= {other.name for other in tables()[:number]}
            columns = connection.execute(f"SELECT * FROM {table.name}").description
            assert table.columns == tuple(column[0] for column in columns)


def test_rows_take_the_place_of_others_and_come_back_in_their_order(database):
    write_rows(database, VECTORS, [("old", "f", b"")])
    write_rows(database, VECTORS, ROWS[::-1])
    assert list(rows_of(database, VECTORS)) == ROWS[::-1]
    assert count_of(database, VECTORS) == 2


def test_where_writing_fails_the_rows_stay_as_they_were(database):
    write_rows(database, VECTORS, ROWS)
    with pytest.raises(ZeroDivisionError):
        write_rows(database, VECTORS, (("c", "f", bytes(1 // one)) for one in (1, 0)))
    assert list(rows_of(database, VECTORS)) == ROWS


@pytest.mark.parametrize(
    "others",
    [ROWS[:1], ROWS[::-1], [*ROWS, ("c", "f", b"")], [("a", "f", b"\x00\x02"), ROWS[1]], [("a", "f", None), ROWS[1]]],
)
def test_other_rows_or_another_order_have_another_digest(others):
    assert digest_of(VECTORS, ROWS) != digest_of(VECTORS, others)
    assert digest_of(VECTORS, ROWS) == digest_of(VECTORS, list(ROWS))


def test_rows_without_an_order_are_the_same_in_any():
    assert not KEYS.ordered
    assert digest_of(KEYS, [(1, 2), (3, 4)]) == digest_of(KEYS, [(3, 4), (1, 2)]) != digest_of(KEYS, [(1, 2), (3, 5)])
    assert CHUNKS.ordered
