"""Another process with the hub open: reads commands as JSON lines on stdin, answers as JSON lines on stdout."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[3]


class Worker:
    """A child process that carries out commands on the same hub."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "eval.bench.torture.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            cwd=REPOSITORY,
            env=environment(home),
        )

    def start(self, command: str, **arguments: Any) -> None:
        """Send a command."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"command": command, **arguments}) + "\n")
        self.process.stdin.flush()

    def result(self) -> Any:
        """Wait for the answer to the command sent last.

        :raises RuntimeError: if the process died or the command failed.
        """
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"worker ended with code {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def call(self, command: str, **arguments: Any) -> Any:
        """Send a command and wait for its answer."""
        self.start(command, **arguments)
        return self.result()

    def close(self) -> None:
        """End the process."""
        if self.process.stdin:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        if self.process.stdout:
            self.process.stdout.close()
        self.process.wait(timeout=60)


@contextlib.contextmanager
def workers(home: Path, count: int) -> Iterator[list[Worker]]:
    """Start workers, and end them."""
    started = [Worker(home) for _ in range(count)]
    try:
        yield started
    finally:
        for worker in started:
            worker.close()


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a child process that uses this hub."""
    return {**os.environ, "KHUB_HOME": str(home), "KHUB_PIPELINES": str(REPOSITORY / "pipelines"), "KHUB_TRACE": "off"}


def use_hub(home: Path) -> None:
    """Use this hub in the calling process."""
    os.environ.update({k: v for k, v in environment(home).items() if k.startswith("KHUB_")})


def _carry_out(request: dict[str, Any]) -> Any:
    command = request.pop("command")
    if command == "ingest":
        from server.ingest import ingest

        result = ingest(request["paths"])
        return {"written": len(result.written), "unchanged": len(result.unchanged), "failed": result.failed}
    if command == "delete":
        from server.collections import delete_document

        return delete_document(request["name"])["doc_id"]
    if command == "ask":
        from server.ask import ask

        return ask(**request)
    raise ValueError(command)


def main() -> None:
    """Serve commands until stdin ends."""
    for line in sys.stdin:
        try:
            answer = {"result": _carry_out(json.loads(line))}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer, default=str) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
