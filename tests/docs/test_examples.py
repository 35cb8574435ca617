"""The examples of the service do what they say, one after the other."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx
import pytest

from khub.server.named_tokens import create_token
from tests.docs.markdown import DOCS, ROOT, blocks
from tests.docs.test_hayhooks import free_port

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(sys.platform == "win32", reason="they are written for bash")]

PAGE = DOCS / "service/examples.md"
PROGRAMS = {"sh": ["bash", "-euo", "pipefail", "-c"], "python": [sys.executable, "-c"]}


@contextmanager
def service():
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "khub.server.cli", "serve", "--port", str(port)], cwd=ROOT)
    try:
        until = time.monotonic() + 90
        while not is_ready(port):
            assert process.poll() is None, "the service has ended"
            assert time.monotonic() < until, "the service is not ready"
            time.sleep(0.1)
        yield port
    finally:
        process.kill()
        process.wait()


def is_ready(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=30).status_code == 200
    except httpx.TransportError:
        return False


def test_they_are_answered(tmp_path, needs_program):
    needs_program("curl", "curl")
    token, _ = create_token("examples", write=True)
    came = []
    with service() as port:
        _starting, settings, *scripts = blocks(PAGE, *PROGRAMS)
        for block in scripts:
            script = f"{settings.text}{block.text}" if block.language == "sh" else block.text
            script = script.replace("127.0.0.1:8080", f"127.0.0.1:{port}").replace("change-me", token)
            done = subprocess.run(
                [*PROGRAMS[block.language], script],
                cwd=tmp_path,
                env={**os.environ, "PYTHONUTF8": "1"},
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=120,
                check=False,
            )
            assert done.returncode == 0, (block.text, done.stderr)
            came.append(done.stdout)
    files, texts, questions, reasons, chat, assistant, metrics = came
    assert "event: finished" in files
    assert '"state":"queued"' in texts
    assert "herons.md" in texts
    assert "Herons wade slowly" in questions
    assert '"right":true' in reasons.replace(" ", "")
    assert "Herons wade slowly" in chat
    assert "How do herons wade? And where?" in chat
    assert "Herons wade slowly" in assistant
    assert "khub_requests_total" in metrics
