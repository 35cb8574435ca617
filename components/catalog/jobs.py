"""Rows of the tables `jobs` and `job_events`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from khub.components.catalog.database import Database, json_text, now
from khub.components.catalog.job_progress import JobProgress
from khub.components.catalog.job_row import JobRow
from khub.components.catalog.job_state_event import JobStateEvent

ENDED = ("finished", "failed", "interrupted", "cancelled")
KEPT_EVENTS = 1000
"""Of a job; the older ones go."""
EVENTS = ("state", "progress")
"""Fields whose change is an event."""
TAKEN = (
    "SELECT collection FROM jobs WHERE state IN ('queued', 'running') "
    "AND json_extract(record, '$.taken_by') IS NOT NULL"
)
"""Collections that a machine is at a job of, where there are several."""
PUT_OFF = "SELECT collection FROM jobs WHERE state = 'queued' AND json_extract(record, '$.retry_at') > ?"
"""Collections of which a job is tried again later: what was asked for after it must not come before it."""
LONG = ("files", "paths", "agreed", "dropped", "moved", "traces")
"""Fields that may hold thousands of entries."""


class Jobs:
    """What is known of every job, and what happened to it; rows come in the order in which they were asked for.

    Of two servers one has the later clock: by time, an earlier upload of a file could win.

    :param database: the catalog's.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, job_id: str) -> JobRow | None:
        """Return a job; None if there is none."""
        row = self._db.row("SELECT record FROM jobs WHERE job_id = ?", (job_id,))
        return None if row is None else json.loads(row[0])

    def add(self, record: Mapping[str, Any], idempotency: str | None = None) -> None:
        """Add a job.

        :param record: with `job_id`, `state` and `collection`.
        :param idempotency: who starts it, and the key that came with it.
        """
        created = now()
        record = {"created_at": created, **record, "updated_at": created}
        with self._db.transaction() as connection:
            connection.execute(
                "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?)",
                (record["job_id"], record["state"], record["collection"], created, idempotency, _text(record)),
            )
            _note(connection, record, {"state": record["state"]})

    def update(
        self, job_id: str, fields: Mapping[str, Any], without: Sequence[str] = (), unless: Sequence[str] = ()
    ) -> bool:
        """Change fields of a job; return whether that was done.

        :param fields: of which a new state, and progress, are events.
        :param without: fields that go.
        :param unless: states in which nothing is changed.
        """
        with self._db.transaction() as connection:
            row = connection.execute("SELECT record FROM jobs WHERE job_id = ?", (job_id,)).fetchone()
            before = json.loads(row[0]) if row else None
            if before is None or before["state"] in unless:
                return False
            kept = {key: value for key, value in before.items() if key not in without}
            record = {**kept, **fields, "updated_at": now()}
            connection.execute(
                "UPDATE jobs SET state = ?, record = ? WHERE job_id = ?", (record["state"], _text(record), job_id)
            )
            _note(
                connection,
                record,
                {key: fields[key] for key in EVENTS if key in fields and fields[key] != before.get(key)},
            )
            return True

    def listed(
        self, states: Sequence[str] = (), after: tuple[str, str] | None = None, limit: int = 200
    ) -> list[JobRow]:
        """Return jobs, the newest first.

        :param states: only those in one of these; all if empty.
        :param after: `created_at` and `job_id` of the one before.
        """
        among, of = _among("state", states)
        later = "" if after is None else " AND (created_at < ? OR (created_at = ? AND job_id > ?))"
        position = () if after is None else (after[0], after[0], after[1])
        rows = self._db.rows(
            f"SELECT record FROM jobs WHERE {among}{later} ORDER BY created_at DESC, job_id LIMIT ?",
            (*of, *position, limit),
        )
        return [json.loads(row[0]) for row in rows]

    def page(
        self,
        states: Sequence[str],
        started_by: str | None,
        offset: int,
        limit: int,
        collection: str | None = None,
        kinds: Sequence[str] = (),
    ) -> tuple[int, list[JobRow]]:
        """Return how many jobs there are, and a page of them, the newest first, without their lists of files.

        :param states: only those in one of these; all if empty.
        :param started_by: only those of this caller; None for all.
        :param collection: only those in this one; None for all.
        :param kinds: only these; all if empty.
        """
        callers, collections = ([] if one is None else [one] for one in (started_by, collection))
        wanted = {"state": states, _field("caller"): callers, "collection": collections, _field("kind"): kinds}
        clauses, given = zip(*(_among(*one) for one in wanted.items()), strict=True)
        among, values = " AND ".join(clauses), [value for of in given for value in of]
        total = self._db.row(f"SELECT COUNT(*) FROM jobs WHERE {among}", values)
        without = ", ".join(f"'$.{name}'" for name in LONG)
        rows = self._db.rows(
            f"SELECT json_remove(record, {without}) FROM jobs WHERE {among} "
            "ORDER BY created_at DESC, job_id LIMIT ? OFFSET ?",
            (*values, limit, offset),
        )
        return total[0] if total else 0, [json.loads(row[0]) for row in rows]

    def of_collection(self, collection: str, states: Sequence[str]) -> list[JobRow]:
        """Return the jobs of a collection that are in one of these states, the oldest first."""
        rows = self._db.rows(
            "SELECT record FROM jobs WHERE collection = ? AND state IN (SELECT value FROM json_each(?)) ORDER BY rowid",
            (collection, json.dumps(list(states))),
        )
        return [json.loads(row[0]) for row in rows]

    def waiting(self, busy: Sequence[str], collections: Sequence[str] = ()) -> JobRow | None:
        """Return the job of a service that has waited for longest; None if there is none.

        :param busy: collections of which none is wanted, beside those that other machines are at.
        :param collections: only those of these; of all if empty.
        """
        among, of = _among("collection", collections)
        row = self._db.row(
            f"SELECT record FROM jobs WHERE state = 'queued' AND {among} AND {_field('of_service')} IS NOT NULL "
            f"AND collection NOT IN (SELECT value FROM json_each(?)) AND collection NOT IN ({TAKEN}) "
            f"AND collection NOT IN ({PUT_OFF}) ORDER BY rowid LIMIT 1",
            (*of, json.dumps(list(busy)), now()),
        )
        return None if row is None else json.loads(row[0])

    def take(self, job_id: str, runner: str) -> bool:
        """Take a job that waits, if no machine is at another one of its collection; return whether it was taken.

        :param runner: name of who takes it, which the record has as `taken_by` until the job waits again.
        """
        with self._db.transaction() as connection:
            row = connection.execute(
                f"SELECT record FROM jobs WHERE job_id = ? AND state = 'queued' AND collection NOT IN ({TAKEN})",
                (job_id,),
            ).fetchone()
            if row is None:
                return False
            record = {**json.loads(row[0]), "taken_by": runner}
            connection.execute("UPDATE jobs SET record = ? WHERE job_id = ?", (_text(record), job_id))
            return True

    def brought_later(self, job_id: str, paths: Sequence[str]) -> list[str]:
        """Return those of the files of an ingest that a later one brings which waits: of the same graph and caller.

        :param job_id: of the earlier one, a service's.
        :param paths: its files.
        """
        rows = self._db.rows(
            "SELECT DISTINCT file.value FROM jobs own JOIN jobs later ON later.collection = own.collection, "
            "json_each(later.record, '$.paths') file WHERE own.job_id = ? "
            f"AND later.state = 'queued' AND {_field('of_service', 'later.')} IS NOT NULL "
            f"AND {_field('kind', 'later.')} = 'ingest' "
            "AND later.rowid > own.rowid "
            f"AND {_field('graph', 'later.')} = {_field('graph', 'own.')} "
            f"AND {_field('caller', 'later.')} = {_field('caller', 'own.')} "
            "AND file.value IN (SELECT value FROM json_each(?)) ORDER BY 1",
            (job_id, json.dumps(list(paths))),
        )
        return [row[0] for row in rows]

    def counts(self) -> list[tuple[str, str, str | None, int]]:
        """Return kind, state, caller and number of the jobs."""
        rows = self._db.rows(f"SELECT {_field('kind')}, state, {_field('caller')}, COUNT(*) FROM jobs GROUP BY 1, 2, 3")
        return [tuple(row) for row in rows]

    def with_key(self, idempotency: str, since: str) -> JobRow | None:
        """Return the newest job that was started with a key, not before a time; None if there is none."""
        row = self._db.row(
            "SELECT record FROM jobs WHERE idempotency = ? AND created_at >= ? ORDER BY created_at DESC",
            (idempotency, since),
        )
        return None if row is None else json.loads(row[0])

    def events(self, job_id: str, after: int) -> list[tuple[int, str, JobProgress | JobStateEvent]]:
        """Return number, name and data of what happened to a job after an event; 0 for from the beginning."""
        rows = self._db.rows(
            "SELECT number, event, data FROM job_events WHERE job_id = ? AND number > ? ORDER BY number",
            (job_id, after),
        )
        return [(row["number"], row["event"], json.loads(row["data"])) for row in rows]

    def forget(self, before: str) -> None:
        """Delete the jobs that had ended before a time."""
        ended = "SELECT job_id FROM jobs WHERE created_at < ? AND state IN ('finished', 'failed', 'cancelled')"
        with self._db.transaction() as connection:
            connection.execute(f"DELETE FROM job_events WHERE job_id IN ({ended})", (before,))
            connection.execute(f"DELETE FROM jobs WHERE job_id IN ({ended})", (before,))

    def forget_of_commands(self, before: str, most: int) -> None:
        """Delete the jobs that commands did before a time, and all but the newest of the others.

        :param most: so many are kept.
        """
        of_commands = f"SELECT job_id FROM jobs WHERE {_field('door')} IS NOT NULL"
        newest = f"{of_commands} AND created_at >= ? ORDER BY created_at DESC, rowid DESC LIMIT ?"
        gone = f"{of_commands} AND job_id NOT IN ({newest})"
        with self._db.transaction() as connection:
            connection.execute(f"DELETE FROM job_events WHERE job_id IN ({gone})", (before, most))
            connection.execute(f"DELETE FROM jobs WHERE job_id IN ({gone})", (before, most))


def _note(connection: Any, record: Mapping[str, Any], changed: Mapping[str, Any]) -> None:
    for key, value in changed.items():
        if key == "state":
            data = {"state": value, **{k: record[k] for k in ("result", "error", "remedy") if record.get(k)}}
            event = value
        elif value:
            event, data = key, value
        else:
            continue
        last = connection.execute("SELECT MAX(number) FROM job_events WHERE job_id = ?", (record["job_id"],))
        number = (last.fetchone()[0] or 0) + 1
        connection.execute("INSERT INTO job_events VALUES (?, ?, ?, ?)", (record["job_id"], number, event, _text(data)))
        connection.execute(
            "DELETE FROM job_events WHERE job_id = ? AND number <= ?", (record["job_id"], number - KEPT_EVENTS)
        )


def _among(column: str, wanted: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the condition that a column has one of some values, or any where none are named, and what it compares."""
    return (f"{column} IN (SELECT value FROM json_each(?))", (json.dumps(list(wanted)),)) if wanted else ("TRUE", ())


def _field(name: str, of: str = "") -> str:
    return f"json_extract({of}record, '$.{name}')"


def _text(value: Mapping[str, Any]) -> str:
    return json_text(value)
