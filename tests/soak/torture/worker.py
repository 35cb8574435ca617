"""Another process with the hub open: reads commands as JSON lines on stdin, answers as JSON lines on stdout."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[3]
INGEST, QUERY = "ingest_fast", "query"  # the less time goes into embedding, the more goes into the stores
PATIENCE_S = 120  # a stage that is given up because the machine is busy says nothing about the stores


class Worker:
    """A child process that carries out commands on the same hub."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.torture.worker"],
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
    graphs = _patient_graphs(home.parent / "graphs")
    return {**os.environ, "KHUB_HOME": str(home), "KHUB_PIPELINES": str(graphs), "KHUB_TRACE": "off"}


def _patient_graphs(folder: Path) -> Path:
    """Return the folder, filled with the repository's graphs and longer time limits."""
    if not folder.is_dir():
        shutil.copytree(REPOSITORY / "pipelines", folder)
        for graph in folder.glob("*.yaml"):
            text = re.sub(r"\btimeout_s: \d+", f"timeout_s: {PATIENCE_S}", graph.read_text(encoding="utf-8"))
            graph.write_text(text, encoding="utf-8")
    return folder


def use_hub(home: Path) -> None:
    """Use this hub in the calling process."""
    os.environ.update({k: v for k, v in environment(home).items() if k.startswith("KHUB_")})


def _carry_out(request: dict[str, Any]) -> Any:
    command = request.pop("command")
    if command == "ingest":
        from khub.server.library.ingest import ingest

        result = ingest(request["paths"], graph_name=INGEST)
        return {"written": len(result.written), "unchanged": len(result.unchanged), "failed": result.failed}
    if command == "delete":
        from khub.server.jobs.deletions import delete_document

        return delete_document(request["name"])["doc_id"]
    if command == "ask":
        from khub.server.questions.ask import ask

        answer = ask(**request, graph_name=QUERY)
        return {"citations": len(answer.citations), "degraded": answer.degraded}
    raise ValueError(command)


def main() -> None:
    """Serve commands until stdin ends."""
    for line in sys.stdin:
        try:
            answer = {"result": _carry_out(json.loads(line))}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
