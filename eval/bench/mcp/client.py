"""A client that looks at every line that an MCP server writes to standard output, and at every reply it owes."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, cast

from khub.eval.bench.mcp.json_rpc import Message

ROOT = Path(__file__).parents[3]
SERVER = ("-P", "-m", "khub.server.cli", "mcp")
REVISION = "2025-11-25"
REPLY_S = 120
LEAVE_S = 10


class ServerGoneError(Exception):
    """The server has closed its standard output while replies were owed."""


class Client:
    """A server process and the pipes to it.

    :param home: the hub's folder.
    :param arguments: what follows `khub mcp`; or, with `command`, the whole command after the interpreter.
    :param command: arguments of the interpreter in place of `khub mcp`.
    """

    def __init__(self, home: Path, arguments: Sequence[str] = (), command: Sequence[str] = SERVER) -> None:
        environment = {**os.environ, "KHUB_HOME": str(home), "KHUB_PIPELINES": str(ROOT / "pipelines")}
        self.errors = home.parent / f"{home.name}-server.log"
        self.spawned = time.perf_counter()
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, *command, *arguments],
                cwd=home.parent,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        self.lines = 0
        self.bad_lines: list[str] = []
        self.replies: Counter[int] = Counter()
        self.notifications = 0
        self._asked = 0
        self._owed: dict[int, Future[Message]] = {}
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def start(self, method: str, params: dict[str, Any] | None = None) -> "Future[Message]":
        """Send a request; return what will hold the whole reply."""
        future: Future[Message] = Future()
        with self._lock:
            self._asked += 1
            number = self._asked
            self._owed[number] = future
            self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        return future

    def ask(self, method: str, params: dict[str, Any] | None = None, timeout: float = REPLY_S) -> dict[str, Any]:
        """Send a request and return its result.

        :raises RuntimeError: if the reply is an error.
        """
        reply = self.start(method, params).result(timeout)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return dict(reply["result"])

    def call(self, tool: str, timeout: float = REPLY_S, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its result.

        :raises RuntimeError: if it fails.
        """
        result = self.ask("tools/call", {"name": tool, "arguments": arguments}, timeout)
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {result['content'][0]['text']}")
        return result

    def initialize(self) -> float:
        """Shake hands.

        :returns: the seconds since the process was started.
        """
        about = {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}
        self.ask("initialize", about)
        seconds = time.perf_counter() - self.spawned
        self.notify("notifications/initialized")
        return seconds

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a notification."""
        with self._lock:
            self._write({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})

    def owed(self) -> int:
        """Return how many replies have not come."""
        with self._lock:
            return len(self._owed)

    def duplicates(self) -> int:
        """Return how many replies came more than once."""
        return sum(count - 1 for count in self.replies.values() if count > 1)

    def close_stdin(self) -> None:
        """Close the server's standard input: the client has gone."""
        if self.process.stdin:
            with contextlib.suppress(OSError):
                self.process.stdin.close()

    def close(self) -> None:
        """Leave as a client does; end the process if it stays."""
        self.close_stdin()
        try:
            self.process.wait(LEAVE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(LEAVE_S)

    def _write(self, message: Message) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines += 1
            self._take(line)
        with self._lock:
            owed, self._owed = self._owed, {}
        for future in owed.values():
            future.set_exception(ServerGoneError("the server has left"))

    def _take(self, line: bytes) -> None:
        message = _json_rpc(line)
        if message is None:
            self.bad_lines.append(line[:200].decode("utf-8", "replace"))
        elif "method" in message:
            self.notifications += 1
        else:
            number = message["id"]
            self.replies[number] += 1
            with self._lock:
                future = self._owed.pop(number, None)
            if future is not None:
                future.set_result(message)


def _json_rpc(line: bytes) -> Message | None:
    """Return a line as the message that it is; None if it is none."""
    try:
        message = json.loads(line)
    except ValueError:
        return None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return None
    whole = "method" in message or ("id" in message and ("result" in message) != ("error" in message))
    return cast(Message, message) if whole else None


@contextlib.contextmanager
def client(home: Path, *arguments: str) -> Iterator[Client]:
    """Serve a hub and shake hands with the server; leave at the end."""
    running = Client(home, arguments)
    try:
        running.initialize()
        yield running
    finally:
        running.close()
