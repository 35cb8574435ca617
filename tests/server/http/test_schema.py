"""What the OpenAPI document says is what the service does, whatever is sent to it: schemathesis, all checks."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
import uvicorn

from khub.server.http.service import service_config
from khub.server.http.service_options import ServiceOptions
from khub.server.http.tokens import Tokens
from tests.server.http.test_graph_routes import until

EXCLUSIONS = Path(__file__).with_name("schemathesis.toml")


@pytest.fixture
def address(hub):
    """A service that lets its caller do everything."""
    service = uvicorn.Server(service_config(ServiceOptions(tokens=Tokens("r", "w")), 0))
    thread = threading.Thread(target=service.run)
    thread.start()
    until(lambda: service.started)
    yield f"http://127.0.0.1:{service.servers[0].sockets[0].getsockname()[1]}"
    service.should_exit = True
    thread.join(60)


@pytest.mark.e2e
def test_no_answer_is_a_failure_or_undocumented(address, tmp_path):
    program = Path(sys.executable).with_name("schemathesis")
    if not program.exists():
        pytest.skip("schemathesis is not installed (the extra 'test' has it)")
    command = [str(program), "--config-file", str(EXCLUSIONS), "run", f"{address}/openapi.json"]
    options = ["--header", "Authorization: Bearer w", "--generation-deterministic", "--continue-on-failure"]
    done = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-30_000:]
