"""The dashboard as a process, and a browser that tells of all that it does not like."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Any

STARTED_S = 60
STOPPED_S = 30
CHROMIUM = "/usr/bin/chromium"
OWNERS: dict[str, str] = {}
"""Where the pages are -> the address that was printed, which lets change things."""
STANDS_STILL = """() => document.querySelector("h1") && document.querySelector("[data-test-script-state=notRunning]")
    && getComputedStyle(document.documentElement).getPropertyValue("--khub-air")"""
"""The page has run to its end, and has the look of `looks.css`, which comes later than the first words."""
HERE = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")


@contextlib.contextmanager
def served(*arguments: str, command: tuple[str, ...] = ("dashboard", "--no-open"), **environment: str) -> Iterator[str]:
    """Serve the dashboard of the hub that the environment names, and yield its address."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "khub.server.cli", *command, "--port", "0", *arguments],
            stderr=said,
            stdout=subprocess.DEVNULL,
            env={**os.environ, **environment},
        )
        try:
            yield _address(process, said)
        finally:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOPPED_S)
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[bytes], said: IO[str]) -> str:
    """Return where it is served, once it says so."""
    end = time.monotonic() + STARTED_S
    while time.monotonic() < end and process.poll() is None:
        said.seek(0)
        if found := re.search(r"(http://127\.0\.0\.1:\d+)(/\S+)?", said.read()):
            address = f"{found[1]}/dashboard/"
            OWNERS[address] = found[0]
            return address
        time.sleep(0.1)
    said.seek(0)
    raise AssertionError(said.read())


@dataclass
class Visit:
    """A page in a browser.

    :param errors: what its console says of errors, and answers that are none.
    :param elsewhere: addresses of other hosts that it asked for.
    """

    page: Any
    errors: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda asked: None if asked.url.startswith(HERE) else self.elsewhere.append(asked.url))
        self.page.on("websocket", lambda ws: None if ws.url.startswith(HERE) else self.elsewhere.append(ws.url))

    def go(self, address: str) -> None:
        """Open an address as who started the dashboard, where it is served so, and wait until the page stands still."""
        known = next((whole for base, whole in OWNERS.items() if address.startswith(base) and "token=" in whole), None)
        if known is not None and not self.page.context.cookies(known):
            self.page.context.request.get(known)
        self.page.goto(address)
        self.settled()

    def settled(self) -> None:
        """Wait until Streamlit has run the page to its end."""
        self.page.wait_for_function(STANDS_STILL)  # looks at each frame; for a selector it looks every half second


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Yield a browser that downloads nothing."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()
