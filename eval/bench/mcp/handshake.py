"""Time from spawn to the reply to `initialize`, against a server of the SDK's with nothing in it; first real answer.

Processor time is told beside it: on a busy machine it alone says something.
"""

import statistics
import time
from pathlib import Path
from typing import cast

import psutil

from khub.eval.bench.mcp.client import Client
from khub.eval.bench.mcp.handshake_result import HandshakeResult
from khub.eval.bench.mcp.hub import filled_hub, questions

BARE = ("-P", "-c", "from mcp.server import MCPServer; MCPServer('bare').run()")


def run(work: Path, rounds: int, chunks: int) -> HandshakeResult:
    """Start both servers by turns.

    :returns: medians and ratio; the first real answer, from spawn, of each round.
    """
    home = filled_hub(work, chunks)
    question = questions(1)[0]
    times: dict[str, list[float]] = {name: [] for name in ("bare", "hub", "first_query", "bare_cpu", "hub_cpu")}
    for number in range(rounds + 1):  # the first round fills the disk cache
        bare = Client(home, (), BARE)
        taken = {"bare": bare.initialize(), "bare_cpu": _cpu(bare)}
        bare.close()
        hub = Client(home)
        taken |= {"hub": hub.initialize(), "hub_cpu": _cpu(hub)}
        hub.call("query_knowledge_hub", query=question)
        taken["first_query"] = time.perf_counter() - hub.spawned
        hub.close()
        for name, seconds in taken.items() if number else ():
            times[name].append(seconds)
    middle = {f"{name}_s": round(statistics.median(values), 3) for name, values in times.items()}
    slowest = {f"{name}_slowest_s": round(max(values), 3) for name, values in times.items()}
    ratios = {"ratio": middle["hub_s"] / middle["bare_s"], "cpu_ratio": middle["hub_cpu_s"] / middle["bare_cpu_s"]}
    rounded = {name: round(value, 2) for name, value in ratios.items()}
    return cast(HandshakeResult, {**middle, **slowest, **rounded, "rounds": rounds})


def _cpu(running: Client) -> float:
    """Return the seconds of processor time that a server has taken so far."""
    times = psutil.Process(running.process.pid).cpu_times()
    return times.user + times.system
