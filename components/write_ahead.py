"""SQLite's write-ahead log, in a file that several may be making at the same time."""

import sqlite3
import time

BUSY_RETRY_S = 0.005


def write_ahead(connection: sqlite3.Connection, timeout_s: float) -> None:
    """Have changes go to a log first, and wait for others who are doing the same in a new file.

    Unlike all other statements, this one does not wait by itself: SQLite calls no busy handler where that might be a
    deadlock (https://www.sqlite.org/c3ref/busy_handler.html).

    :param connection: to a file, outside of a transaction.
    :param timeout_s: seconds to wait at most.
    :raises sqlite3.OperationalError: when the file is still locked then, or cannot be used.
    """
    end = time.monotonic() + timeout_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(BUSY_RETRY_S)
