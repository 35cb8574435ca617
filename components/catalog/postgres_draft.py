"""A schema that is filled beside the hub's, and takes its place when it is whole."""

from typing import Any

import psycopg

from khub.components.catalog.schema import tables

DRAFT = "khub_moving"
VERSION_TABLE = "catalog_version"


def take_place(connection: psycopg.Connection[Any], schema: str, emptied: bool) -> None:
    """Let the draft be what a schema was, in the transaction of the connection.

    :param emptied: whether the tables of a hub without collections go with it.
    """
    connection.execute(f"DROP SCHEMA IF EXISTS {schema} {'CASCADE' if emptied else 'RESTRICT'}".encode())
    _continue_numbers(connection)
    connection.execute(f"ALTER SCHEMA {DRAFT} RENAME TO {schema}".encode())


def strange_tables(connection: psycopg.Connection[Any], schema: str) -> list[str]:
    """Return the tables of a schema that are not the hub's."""
    found = connection.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = %s", (schema,))
    own = {VERSION_TABLE, *(table.name for table in tables())}
    return sorted({str(row[0]) for row in found.fetchall()} - own)


def _continue_numbers(connection: psycopg.Connection[Any]) -> None:
    """Let the numbers that a draft gives go on behind those that were written into it."""
    given = connection.execute(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = %s AND identity_generation = 'BY DEFAULT'",
        (DRAFT,),
    )
    for table, column in given.fetchall():
        last = f"SELECT COALESCE(MAX({column}), 0) + 1 FROM {DRAFT}.{table}"
        connection.execute(f"SELECT setval(pg_get_serial_sequence('{DRAFT}.{table}', '{column}'), ({last}), FALSE)")
