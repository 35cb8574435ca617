"""A hub on two machines, whose workers, servers and database are killed while clients write and ask.

python -m tests.soak.torture.team
"""

import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.soak.torture.team_clients import Client, Seen, clients_at_work
from tests.soak.torture.team_fates import GONE, Fates
from tests.soak.torture.team_machines import NAMES, Machines, machines

WRITERS, ASKERS = 2, 4
SYLLABLES = [consonant + vowel for consonant in "bdfgklmpstvz" for vowel in "aou"]
AT_REST_WITHIN_S = 180.0


def run(
    work: Path,
    seconds: float = 600,
    names: int = 20,
    workers: int = 5,
    servers: int = 2,
    restarts: int = 1,
    seed: int = 0,
) -> dict[str, Any]:
    """Let clients write and ask for a while, and kill so many workers and servers, and restart PostgreSQL so often.

    :param names: how many documents each client that writes has.
    :returns: counts, times in seconds, and `wrong`: what was lost, stale, shown though deleted, or failed.
    """
    with machines(work) as found:
        owners = [[name_of(number * WRITERS + writer) for number in range(names)] for writer in range(WRITERS)]
        fates, seen, over = Fates([name for owned in owners for name in owned]), Seen(), threading.Event()
        Client(found, fates, seen, -1).bring(owners[0][0])  # before that there is no collection
        threads = clients_at_work(found, fates, seen, owners, ASKERS, over)
        try:
            _harm(found, seconds, workers, servers, restarts, random.Random(seed))
        finally:
            over.set()
            for thread in threads:
                thread.join(AT_REST_WITHIN_S)
        seen.wrong += ["a client hangs" for thread in threads if thread.is_alive()]
        documents = _look_at_the_end(found, fates, seen)
    return {
        "seconds": seconds, "workers_killed": workers, "servers_killed": servers, "postgres_restarted": restarts,
        "documents": documents, "uploads": seen.uploads, "deletes": seen.deletes, "queries": seen.queries,
        "behind": seen.behind, "while_away": seen.away, "refused": seen.refused,
        "query_p50_s": round(statistics.median(seen.took_s), 3), "query_max_s": round(max(seen.took_s), 1),
        "job_p50_s": round(statistics.median(seen.job_s), 2), "job_max_s": round(max(seen.job_s), 1),
        "wrong": seen.wrong,
    }  # fmt: skip


def name_of(number: int) -> str:
    """Return a word of its own, without digits: what looks like a key is found by the catalog, too."""
    return "".join(SYLLABLES[number // len(SYLLABLES) ** place % len(SYLLABLES)] for place in range(3)) + "rin"


def _harm(found: Machines, seconds: float, workers: int, servers: int, restarts: int, chance: random.Random) -> None:
    killed = [*["worker"] * workers, *["server"] * servers]
    harms: list[Callable[[], None]] = [
        partial(found.kill, role, NAMES[number % len(NAMES)]) for number, role in enumerate(killed)
    ]
    harms += [found.restart_postgres] * restarts
    chance.shuffle(harms)
    began = time.monotonic()
    for number, harm in enumerate(harms):
        at = began + seconds * (number + chance.uniform(0.3, 0.7)) / len(harms)
        time.sleep(max(at - time.monotonic(), 0))
        harm()
    time.sleep(max(began + seconds - time.monotonic(), 0))


def _look_at_the_end(found: Machines, fates: Fates, seen: Seen) -> int:
    """Ask both machines about every document, count them, and let the doctor look; return how many there are."""
    client, expected = Client(found, fates, seen, 0), 0
    for name in fates.names:
        expected += fates.now(name) != {GONE}
        for machine in NAMES:
            client.ask(name, machine)
    for machine in NAMES:
        done = found.run(machine, "doctor", "--json")
        if done.returncode != 0:
            seen.say(f"the doctor of {machine} found: {done.stdout[-1500:]} {done.stderr[-500:]}")
        listed = found.run(machine, "list", "--json")
        count = len(json.loads(listed.stdout)["documents"]) if listed.returncode == 0 else listed.stderr[-300:]
        if count != expected:
            seen.say(f"{machine} has {count} documents in place of {expected}")
    return expected


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="khub-team-") as folder:
        sys.stdout.write(json.dumps(run(Path(folder), *map(float, sys.argv[1:2])), indent=1) + "\n")
