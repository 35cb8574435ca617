"""The tables of a hub's catalog, carried into another database."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from khub.components.catalog.catalog import Catalog
from khub.components.catalog.database import Database
from khub.components.catalog.schema import Table, tables
from khub.components.catalog.table_rows import count_of, digest_of, rows_of, write_rows

Row = tuple[Any, ...]
Shown = Callable[[int, int], None]
"""Is told how many rows are done, and of how many."""
SHOWN_EVERY = 500


def carried_tables() -> list[Table]:
    """Return the tables that are carried: what each commit changed is for machines that follow the old catalog."""
    return [table for table in tables() if table.name != "changes"]


def carry_tables(old: Catalog, draft: Database, shown: Shown) -> None:
    """Write all tables from the first one on that is not there as it is here, each in one transaction."""
    all_tables = carried_tables()
    there = next((number for number, table in enumerate(all_tables) if not _is_there(old, draft, table)), None)
    if there is None:
        return
    missing = all_tables[there:]
    for table in reversed(missing):
        if count_of(draft, table):
            write_rows(draft, table, [])
    counted = _counted(shown, sum(count_of(old.database, table) for table in missing))
    for table in missing:
        write_rows(draft, table, counted(carried_rows(old, table)))


def different_tables(old: Catalog, draft: Database, shown: Shown) -> list[str]:
    """Return which tables are not there as they are here, a line each: all rows are compared."""
    counts = {table: (count_of(old.database, table), count_of(draft, table)) for table in carried_tables()}
    counted = _counted(shown, sum(map(sum, counts.values())))
    return [
        f"table {table.name} is not there as it is here ({here:,} rows here, {there:,} there)"
        for table, (here, there) in counts.items()
        if digest_of(table, counted(carried_rows(old, table))) != digest_of(table, counted(rows_of(draft, table)))
    ]


def carried_rows(old: Catalog, table: Table) -> Iterator[Row]:
    """Yield rows as the new place has them: indexes are those of this machine, which hold the last commit."""
    for row in rows_of(old.database, table):
        yield _as_here(old, dict(zip(table.columns, row, strict=True))) if table.name == "collections" else row


def _as_here(old: Catalog, row: dict[str, Any]) -> Row:
    state, manifest = old.index_states.state(row["name"]), old.index_states.manifest(row["name"])
    here = {
        "dense_generation": state.dense_generation, "sparse_generation": state.sparse_generation,
        "dirty": int(state.dirty), "damaged": json.dumps(list(state.damaged)), "manifest": json.dumps(manifest),
        "changes_from": row["commits"],
    }  # fmt: skip
    return tuple({**row, **here}.values())


def _is_there(old: Catalog, draft: Database, table: Table) -> bool:
    if count_of(old.database, table) != count_of(draft, table):
        return False
    return digest_of(table, carried_rows(old, table)) == digest_of(table, rows_of(draft, table))


def _counted(shown: Shown, total: int) -> Callable[[Iterable[Row]], Iterator[Row]]:
    """Return a function that passes rows on, and tells of all those that it has passed."""
    done = 0

    def passing(rows: Iterable[Row]) -> Iterator[Row]:
        nonlocal done
        for row in rows:
            yield row
            done += 1
            if done % SHOWN_EVERY == 0 or done == total:
                shown(done, total)

    return passing
