"""How long a handshake takes."""

from typing import TypedDict


class HandshakeResult(TypedDict):
    """Medians and the slowest in seconds, of a bare server and of the hub's, and how many times it is as much."""

    bare_s: float
    hub_s: float
    first_query_s: float
    bare_cpu_s: float
    hub_cpu_s: float
    bare_slowest_s: float
    hub_slowest_s: float
    first_query_slowest_s: float
    bare_cpu_slowest_s: float
    hub_cpu_slowest_s: float
    ratio: float
    cpu_ratio: float
    rounds: int
