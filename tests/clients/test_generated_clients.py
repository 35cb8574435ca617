"""Clients that other people's generators make of the service's OpenAPI document."""

import os
import shutil
import subprocess
import urllib.request

import pytest

from tests.clients.conftest import QUESTION, SCRIPTS, TOKEN
from tests.conformance.node_tools import NoNpmError, node_command

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200)]  # the first run installs the generator

FILE = "ember-300-operator-manual-en.pdf"


def test_a_client_for_python_reads_the_citations(run_client, service):
    said = run_client("openapi_client", "generated_python.py", url=service, token=TOKEN, question=QUESTION)
    assert said["chunk_id"]
    assert said["source"].endswith(FILE)
    assert (said["legs"], said["verdict"]) == (["dense", "sparse"], "not_found")


@pytest.mark.parametrize(("read", "is_right"), [("chunk_id", True), ("chunkId", False)])
def test_types_for_typescript_know_the_citations(service, tmp_path, read, is_right):
    try:
        generate = node_command("openapi-typescript", "7.13.0", "bin/cli.js")
        check = node_command("typescript", "5.9.3", "lib/tsc.js")
    except NoNpmError as reason:
        if os.environ.get("KHUB_REQUIRE_DEPS") == "1":
            pytest.fail(str(reason))
        pytest.skip(str(reason))
    request = urllib.request.Request(f"{service}/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request) as reply:
        (tmp_path / "openapi.json").write_bytes(reply.read())
    subprocess.run([*generate, "openapi.json", "-o", "hub.ts"], cwd=tmp_path, capture_output=True, check=True)
    shutil.copy(SCRIPTS / "generated_types.ts", tmp_path / "main.ts")
    source = (tmp_path / "main.ts").read_text(encoding="utf-8")
    (tmp_path / "main.ts").write_text(source.replace("chunk_id", read), encoding="utf-8")
    done = subprocess.run(
        [*check, "--noEmit", "--strict", "main.ts"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) is is_right, done.stdout
