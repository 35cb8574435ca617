"""`khub trace tail`."""

import json
import sys
import time
from collections.abc import Callable
from typing import Annotated

import typer

from khub.server.commands.options import JsonOption
from khub.server.commands.trace_list import Kind, local_time, subject, trouble
from khub.server.remote.chosen import chosen_service
from khub.server.terminal import write_line
from khub.server.traces.trace_record import TraceRecord

LOOK_S = 0.5
AT_ONCE = 200
"""So many new runs are shown of one look."""


def trace_tail(
    context: typer.Context,
    kind: Annotated[Kind | None, typer.Option(help="Only these.", show_default=False)] = None,
    as_json: JsonOption = False,
) -> None:
    """Follow the runs as they end, one line each, until Ctrl-C; with --json one JSON object a line.

    Example: khub trace tail --kind query
    """
    from khub.server.traces.index import RunFilter, find_heads

    wanted = RunFilter(kinds=(kind.value,) if kind else ())
    if (service := chosen_service(context)) is not None:
        from khub.server.remote.traces import find_heads as find_there

        _follow(lambda: find_there(service, wanted, AT_ONCE), as_json)
    else:
        _follow(lambda: find_heads(wanted, AT_ONCE), as_json)


def _follow(newest: Callable[[], list[TraceRecord]], as_json: bool) -> None:
    """Show what comes after what is there.

    :param newest: returns the newest records, the newest first.
    """
    known = {record.get("trace_id") for record in newest()}
    while True:
        time.sleep(LOOK_S)
        records = newest()
        for record in reversed(records):
            if record.get("trace_id") not in known:
                _show(record, as_json)
        sys.stdout.flush()
        known = {record.get("trace_id") for record in records}


def _show(record: TraceRecord, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
        return
    ms = f"{(record.get('totals') or {}).get('ms', 0):.0f} ms"
    about = (local_time(record.get("time", "")), record.get("trace_id", "")[:8], record.get("kind"))
    what = (record.get("graph"), record.get("collection"), ms, subject(record), trouble(record))
    write_line("  ".join(str(part) for part in (*about, *what) if part))
