"""The official conformance suite against the hub's MCP server.

    python -m tests.conformance.run

Both requirement sets against the product's server with the suite's fixtures beside its tools
(tests/conformance/server.py), then the scenarios that need no fixtures against `khub mcp --http` itself.
Exit status 0: every scored scenario passes, or the suite cannot be had here (said on standard error); 1: one fails.
"""

import contextlib
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.conformance.node_tools import NoNpmError, node_command

ROOT = Path(__file__).parents[2]
PACKAGE, VERSION, SCRIPT = "@modelcontextprotocol/conformance", "0.2.0-alpha.12", "dist/index.js"
REVISIONS = ("2025-11-25", "2026-07-28")
EXPECTED = Path(__file__).with_name("expected_failures_real_server.yaml")
WITHOUT_FIXTURES = (
    ("2025-11-25", ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list")),
    ("2025-11-25", ("server-sse-multiple-streams", "dns-rebinding-protection")),
    ("2026-07-28", ("server-stateless", "tools-list", "resources-list", "prompts-list", "caching")),
    ("2026-07-28", ("sep-2164-resource-not-found", "server-sse-multiple-streams", "dns-rebinding-protection")),
    ("2026-07-28", ("input-required-result-unsupported-methods",)),
)
RESULT = re.compile(r"^([✓✗]) ([\w/-]+): (\d+) passed, (\d+) failed", re.MULTILINE)
NOT_SCORED = re.compile(r"^  [✓✗] ([\w/-]+) \(", re.MULTILINE)
START_S, SUITE_S = 60, 600


def main() -> int:
    """Run all of it.

    :returns: the exit status.
    """
    try:
        suite = node_command(PACKAGE, VERSION, SCRIPT)
    except NoNpmError as reason:
        sys.stderr.write(f"MCP conformance: skipped: {reason}\n")
        return 0
    with tempfile.TemporaryDirectory(prefix="khub-conformance-") as home:
        environment = _environment(home)
        with _serving(["-m", "tests.conformance.server"], environment) as url:
            passed = [_requirements(suite, url, revision) for revision in REVISIONS]
        port = _free_port()
        with _serving(["-m", "khub.server.cli", "mcp", "--http", "--port", str(port)], environment, port) as url:
            for revision, scenarios in WITHOUT_FIXTURES:
                passed += [_scenario(suite, url, revision, scenario) for scenario in scenarios]
    return 0 if all(passed) else 1


def _requirements(suite: Sequence[str], url: str, revision: str) -> bool:
    done = _run([*suite, "server", "--url", url, "--requirements", revision])
    others = set(NOT_SCORED.findall(done.stdout))
    scored = [found for found in RESULT.findall(done.stdout) if found[1] not in others]
    good = sum(mark == "✓" for mark, *_ in scored)
    _say(f"{revision}, with fixtures: {good} of {len(scored)} scored scenarios pass")
    for mark, name, right, wrong in scored:
        if mark == "✗":
            _say(f"  {name}: {right} checks passed, {wrong} failed")
    return _judged(done, bool(scored) and good == len(scored))


def _scenario(suite: Sequence[str], url: str, revision: str, scenario: str) -> bool:
    command = ["server", "--url", url, "--spec-version", revision, "--scenario", scenario]
    done = _run([*suite, *command, "--expected-failures", str(EXPECTED)])
    _say(f"{revision}, khub mcp --http: {scenario} {'passes' if done.returncode == 0 else 'fails'}")
    return _judged(done, True)


def _judged(done: subprocess.CompletedProcess[str], counted: bool) -> bool:
    """Whether the suite is content, and so are we; shows what it said if not."""
    if done.returncode == 0 and counted:
        return True
    sys.stderr.write(done.stdout[-4000:] + done.stderr[-4000:])
    return False


def _run(command: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    with tempfile.TemporaryDirectory(prefix="khub-conformance-results-") as results:
        return subprocess.run(
            [*command, "--output-dir", results],
            cwd=results,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=SUITE_S,
            check=False,
        )


def _environment(home: str) -> dict[str, str]:
    variables = {**os.environ, "KHUB_HOME": home, "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}
    variables.pop("KHUB_TOKEN", None)
    return variables


@contextlib.contextmanager
def _serving(arguments: Sequence[str], environment: dict[str, str], port: int | None = None) -> Iterator[str]:
    """Serve in a process of its own; yields the URL, which the process writes first where the port is its choice."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if port is None else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    try:
        url = f"http://127.0.0.1:{port}/mcp" if port else (process.stdout.readline().strip() if process.stdout else "")
        _wait_until_open(int(url.rpartition(":")[2].split("/")[0]), process)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_open(port: int, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + START_S
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"the server did not open port {port} (exit status {process.poll()})")
        time.sleep(0.1)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
