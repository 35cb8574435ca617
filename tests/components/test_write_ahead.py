import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from khub.components.write_ahead import write_ahead

pytestmark = pytest.mark.unit


def test_those_who_make_a_file_at_the_same_time_wait_for_each_other(tmp_path: Path) -> None:
    def make(path: Path, start: threading.Barrier) -> str:
        start.wait()
        with closing(sqlite3.connect(path, timeout=60)) as connection:
            write_ahead(connection, 60)
            connection.execute("CREATE TABLE IF NOT EXISTS t (x)")
            return str(connection.execute("PRAGMA journal_mode").fetchone()[0])

    with ThreadPoolExecutor(12) as pool:
        for number in range(25):
            start = threading.Barrier(12)
            assert set(pool.map(make, [tmp_path / str(number)] * 12, [start] * 12)) == {"wal"}


def test_a_file_that_stays_locked_is_said(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a")) as holder, closing(sqlite3.connect(tmp_path / "a")) as other:
        holder.execute("CREATE TABLE t (x)")
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            write_ahead(other, 0.05)


def test_what_is_no_catalog_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"no database" * 100)
    with closing(sqlite3.connect(tmp_path / "a")) as connection, pytest.raises(sqlite3.DatabaseError, match="not a"):
        write_ahead(connection, 60)
