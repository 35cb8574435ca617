"""A connection that its client cannot keep open by doing nothing."""

from asyncio import BaseTransport, TimerHandle
from enum import Enum
from time import monotonic
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from khub.server.listening.connection_limits import ConnectionLimits

TIMED_OUT = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class Awaited(Enum):
    """What the client has to do before the server can go on."""

    NOTHING = 0
    HEADER = 1
    BODY = 2
    TAKING = 3
    REQUEST = 4


class LimitedConnection(H11Protocol):
    """Ends a connection that keeps the server waiting: `uvicorn.Config(http=partial(LimitedConnection, limits=...))`.

    Whoever has sent a whole request waits for its answer as long as that takes, streams included. Where there are too
    many connections, the one that has kept the server waiting for longest makes room; where none does, the new one.
    h11 and not httptools, which sets no bound to a header.

    :param limits: the rest comes from uvicorn.
    """

    def __init__(self, *arguments: Any, limits: ConnectionLimits, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._limits = limits
        self._awaited = Awaited.NOTHING
        self._since = 0.0
        self._received = 0
        self._unsent = 0
        self._timer: TimerHandle | None = None

    def connection_made(self, transport: BaseTransport) -> None:  # type: ignore[override]
        """Wait for a header, and make room."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._watch()
        limits, everyone = self._limits, list[Any](self.connections)
        if len(everyone) <= min(limits.connections, limits.connections_of_one):
            return  # nobody needs to be counted
        of_one = [one for one in everyone if one.client and self.client and one.client[0] == self.client[0]]
        if len(of_one) > limits.connections_of_one:
            _make_room(of_one)
        elif len(everyone) > limits.connections:
            _make_room(everyone)

    def data_received(self, data: bytes) -> None:
        """Take what came, and see what is awaited now."""
        self._received += len(data)
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """See what is awaited now."""
        self._received = 0
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Wait for the client to take what is sent."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """See what is awaited now."""
        super().resume_writing()
        self._watch()

    def shutdown(self) -> None:
        """Let no stream that stands as long as its client keep the server from stopping."""
        if end_streams := getattr(self.app, "end_streams", None):
            end_streams()
        super().shutdown()

    def timeout_keep_alive_handler(self) -> None:
        """Close; what is not sent yet must be taken first."""
        super().timeout_keep_alive_handler()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._watch()

    def _watch(self) -> None:
        """Start the clock anew if something else is awaited than before."""
        awaited = self._awaits()
        if awaited is self._awaited:
            return
        self._awaited, self._since = awaited, monotonic()  # finer than the loop's time: of two the first is older
        self._received, self._unsent = 0, self.transport.get_write_buffer_size()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if awaited is Awaited.NOTHING else self.loop.call_later(self._left(), self._look)

    def _awaits(self) -> Awaited:
        if self not in self.connections:  # lost, put out, or a web socket now
            return Awaited.NOTHING
        if self.transport.is_closing() or self.flow.write_paused:
            return Awaited.TAKING
        if self.conn.their_state is h11.IDLE and self.cycle is not None and not self._received:
            return Awaited.REQUEST
        return {h11.IDLE: Awaited.HEADER, h11.SEND_BODY: Awaited.BODY}.get(self.conn.their_state, Awaited.NOTHING)

    def _left(self) -> float:
        """Return the seconds that the client still has, as far as can be said now."""
        limits = self._limits
        if self._awaited is Awaited.HEADER:
            given, moved = limits.header_s, 0
        elif self._awaited is Awaited.REQUEST:
            given, moved = limits.idle_s, 0
        elif self._awaited is Awaited.TAKING:
            given, moved = limits.taking_s, max(0, self._unsent - self.transport.get_write_buffer_size())
        else:  # of a request that is answered already nobody wants the rest
            given, moved = limits.body_s, 0 if self.conn.our_state is h11.DONE else self._received
        return self._since + given + moved / limits.bytes_a_second - monotonic()

    def _look(self) -> None:
        """End the connection if the client is late by now."""
        if self._awaited is Awaited.BODY and self.flow.read_paused:  # the application is late
            self._since = monotonic()
        left = self._left()
        if left > 0:
            self._timer = self.loop.call_later(left, self._look)
        elif self._awaited is Awaited.TAKING:
            self.transport.abort()
        else:
            if self.conn.our_state is h11.SEND_RESPONSE or (
                self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]
            ):
                self.transport.write(TIMED_OUT)
            self.transport.close()
            self._watch()


def _make_room(connections: list[Any]) -> None:
    """Put out the connection that has kept the server waiting for longest; the new one is always among them."""
    waiting = [one for one in connections if isinstance(one, LimitedConnection) and one._awaited is not Awaited.NOTHING]
    longest = min(waiting, key=lambda one: one._since)
    longest.connections.discard(longest)
    longest.transport.abort()
