"""What connections may take before anybody has looked at a request."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class ConnectionLimits:
    """Say how long a client may keep a server waiting, and how many may.

    h11 limits the size of a header (16 KiB), the application that of a body.

    :param header_s: until the whole header of a request is there.
    :param body_s: until the whole body is there, beside the time that its bytes take.
    :param taking_s: until what is sent is taken, beside the time that its bytes take.
    :param bytes_a_second: what the slowest line is believed to carry.
    :param connections: in all; a client of the era with sessions holds one open for as long as it runs.
    :param connections_of_one: of one client address; that of a proxy stands for all who come through it.
    :param idle_s: between an answer and the next request; longer than clients keep a connection to use it again (httpx
        5 s, a proxy's pool 60 s), who else send a request while it is closed, and get an error for an answer.
    """

    header_s: float = 10
    body_s: float = 30
    taking_s: float = 60
    bytes_a_second: float = 10_000
    connections: int = 2000
    connections_of_one: int = 1000
    idle_s: int = 75

    def within(self, open_files: int) -> "ConnectionLimits":
        """Return limits under which connections take no more than half of the files that may be open."""
        most = min(self.connections, open_files // 2)
        return replace(self, connections=most, connections_of_one=min(self.connections_of_one, most // 2))
