"""Clients that keep `khub mcp --http` waiting, by the hundred, beside one that asks.

python -m tests.soak.torture.slow_connections
"""

import asyncio
import contextlib
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx

from tests.soak.torture.worker import REPOSITORY, environment

TOKEN = "secret"
HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
KINDS = {  # what is sent first, and again and again
    "silent": (b"", b""),
    "header": (HEAD, b"x"),
    "body": (HEAD + b"Accept: */*\r\nContent-Length: 100000\r\n\r\n", b" "),
    "body_with_token": (HEAD + b"Authorization: Bearer secret\r\nContent-Length: 100000\r\n\r\n", b" "),
}
DROP_S, CALL_S, GONE_S = 2, 0.5, 120
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {
        "name": "list_collections",
        "arguments": {},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    },
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Authorization": f"Bearer {TOKEN}",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "list_collections",
}


def run(work: Path, most_files: int | None = None, **attackers: int) -> dict[str, Any]:
    """Open the connections, ask all the while until the server has ended them.

    :param most_files: hard limit on the server's open files; None for that of this process.
    :param attackers: how many of each of `KINDS`.
    :returns: answered, wrong (calls without an answer), slowest_s of the answers, left (connections), gone_s.
    """
    return asyncio.run(_run(work, most_files, attackers))


async def _run(work: Path, most_files: int | None, attackers: dict[str, int]) -> dict[str, Any]:
    async with _serving(work, most_files) as port:
        began = time.monotonic()
        tasks = [asyncio.create_task(_attack(port, kind)) for kind, count in attackers.items() for _ in range(count)]
        seconds, wrong = [], []
        while any(not task.done() for task in tasks) and time.monotonic() < began + GONE_S:
            asked = time.monotonic()
            try:
                await _ask(port)
                seconds.append(time.monotonic() - asked)
            except (httpx.HTTPError, AssertionError) as error:
                wrong.append(f"{type(error).__name__}: {error}")
            await asyncio.sleep(CALL_S)
        left = sum(not task.done() for task in tasks)
        for task in tasks:
            task.cancel()
        return {
            "answered": len(seconds),
            "wrong": wrong,
            "slowest_s": round(max(seconds, default=0), 2),
            "left": left,
            "gone_s": round(time.monotonic() - began, 1),
        }


async def _ask(port: int) -> None:
    """Call a tool over a connection of its own, as a client that comes anew."""
    async with httpx.AsyncClient(timeout=10) as client:
        reply = await client.post(f"http://127.0.0.1:{port}/mcp", json=CALL, headers=HEADERS)
        assert reply.status_code == 200, reply.text
        assert not json.loads(reply.text)["result"].get("isError"), reply.text


async def _attack(port: int, kind: str) -> None:
    """Stay as long as the server bears it."""
    first, drop = KINDS[kind]
    with contextlib.suppress(ConnectionError):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(first)
        while True:
            with contextlib.suppress(TimeoutError):
                if not await asyncio.wait_for(reader.read(1000), DROP_S):
                    break
            writer.write(drop)
            await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def _serving(work: Path, most_files: int | None) -> AsyncIterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "khub.server.cli", "mcp", "--http", "--port", str(port)]
    if most_files:
        command = ["sh", "-c", f'ulimit -n {most_files}; exec "$@"', "sh", *command]
    variables = {**environment(work / "home"), "KHUB_TOKEN": TOKEN, "PYTHONPATH": str(REPOSITORY)}
    with (work / "server.log").open("w") as log:
        process = subprocess.Popen(command, cwd=REPOSITORY, env=variables, stdout=log, stderr=log)  # noqa: ASYNC220
    try:
        until = time.monotonic() + 60
        while True:
            with contextlib.suppress(httpx.TransportError):
                await _ask(port)
                break
            assert process.poll() is None, (work / "server.log").read_text()
            assert time.monotonic() < until
            await asyncio.sleep(0.1)
        yield port
    finally:
        process.terminate()
        process.wait(30)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        result = run(Path(folder), silent=1300, header=300, body=150, body_with_token=150)
    sys.stdout.write(json.dumps(result, indent=1) + "\n")
