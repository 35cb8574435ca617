"""Two machines with one catalog and one document store in a server: what one writes, the other finds."""

import os
import signal
import subprocess
import sys

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.home import at_home
from khub.components.stores import replica
from khub.components.stores.open_indexes import close_readers
from khub.server.library.collections import delete_documents, reindex
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.backends.stores.conftest import free_port, running, scripts
from tests.docs.test_diffs import the_diff
from tests.docs.unified_diff import apply
from tests.server.hub_files import PIPELINES, copy_pipelines

pytest.importorskip("psycopg_pool", reason="pip install psycopg")
pytestmark = pytest.mark.integration

SECRET = "PG_CONN_STR@khub.components.stores.pgvector_store.PgvectorStore"
QUESTIONS = ("herons at dawn", "婚假几天")


@pytest.fixture(autouse=True)
def one_catalog(new_database, monkeypatch, converted_here):
    monkeypatch.setenv("KHUB_DATABASE_URL", new_database())
    yield
    close_readers()
    from khub.components.catalog.postgres_database import close_all

    close_all()


@pytest.fixture
def machines(tmp_path):
    return tmp_path / "first", tmp_path / "second"


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    write(folder, "herons.md", "# Herons\n\nHerons wade in shallow water at dawn.\n")
    write(folder, "leave.md", "# 休假\n\n婚假为十天，须提前两周申请。\n")
    return folder


@pytest.fixture
def in_store(tmp_path, monkeypatch):
    """Return a function: make the graph `shared`, which is `plain`, the shipped one, changed by a diff of the page."""

    def make(word, port=""):
        folder = copy_pipelines(tmp_path)
        shipped = (PIPELINES / "ingest.yaml").read_text("utf-8").replace("model: khub-base", "model: khub-fast")
        text = apply(the_diff(word), shipped)
        (folder / "shared.yaml").write_text(text.replace("19530", port) if port else text, encoding="utf-8")
        (folder / "plain.yaml").write_text(shipped, encoding="utf-8")
        monkeypatch.setenv("KHUB_PIPELINES", str(folder))

    return make


@pytest.fixture
def milvus(tmp_path, in_store):
    pytest.importorskip("milvus_haystack")
    port = free_port()
    command = [scripts() / "milvus-lite", "server", "--host", "127.0.0.1", "--port", port]
    with running([*command, "--data-dir", tmp_path / "milvus"], port):
        in_store("MilvusSparseEmbeddingRetriever", port)
        yield
        close_readers()


@pytest.fixture
def pgvector(new_database, monkeypatch, in_store):
    pytest.importorskip("haystack_integrations.document_stores.pgvector")
    monkeypatch.setenv("PG_CONN_STR", new_database())
    monkeypatch.setenv("KHUB_SECRETS", SECRET)
    in_store("PgvectorStore")


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")


def found(question, **more):
    answer = ask(question, "default", **more)
    assert answer.degraded == []
    return [citation.title for citation in answer.citations]


def answers():
    asked = [ask(text, "default", legs=legs) for text in QUESTIONS for legs in (None, ["dense"], ["sparse"])]
    assert all(answer.citations and not answer.degraded for answer in asked)
    return [[(citation.chunk_id, citation.score) for citation in answer.citations] for answer in asked]


def assert_healthy():
    (one,) = diagnose("default", full=True)
    assert (one.findings.problems, one.findings.notes) == ([], [])


def delete(title):
    rows = open_catalog().documents.of_collection("default")
    delete_documents([next(row["doc_id"] for row in rows if row["title"] == title)], "default")


def changed_by_the_first_and_seen_by_the_second(machines, notes):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="shared")
        told = answers()
    with at_home(second):
        assert answers() == told
    write(notes, "otters.md", "# Otters\n\nOtters hold hands while they sleep.\n")
    with at_home(first):
        ingest([str(notes)], graph_name="shared")
    with at_home(second):
        for legs in (["sparse"], ["dense"]):
            assert found("do otters hold hands", legs=legs)[0] == "Otters"
        delete("Herons")
    for home in machines:
        with at_home(home):
            for legs in (["sparse"], ["dense"], None):
                assert "Herons" not in found("do herons wade in shallow water", legs=legs)
            assert_healthy()


def test_vectors_in_pgvector_and_a_keyword_index_on_each_machine(machines, notes, pgvector):
    changed_by_the_first_and_seen_by_the_second(machines, notes)
    for home in machines:
        assert len(list((home / "sparse").iterdir())) == 1
        assert not list(home.glob("dense/*"))


KILLED = """
import os, signal, sys
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.server.library.ingest import ingest

write_dense = CollectionIndexes.write_dense

def killed(self, documents):
    write_dense(self, documents)
    os.kill(os.getpid(), signal.SIGKILL)

CollectionIndexes.write_dense = killed
ingest([sys.argv[1]], graph_name="shared")
"""


def test_what_a_killed_writer_left_in_a_server_is_mended_without_writing_all_anew(machines, notes, pgvector):
    home, _ = machines
    with at_home(home):
        ingest([str(notes)], graph_name="shared")
        before = open_catalog().index_states.state("default")
        write(notes, "herons.md", "# Grey herons\n\nHerons wade in shallow water at dawn.\n")
        write(notes, "otters.md", "# Otters\n\nOtters hold hands while they sleep.\n")
        environment = {**os.environ, "KHUB_HOME": str(home)}
        done = subprocess.run([sys.executable, "-c", KILLED, str(notes)], env=environment, check=False, timeout=240)
        assert done.returncode == -signal.SIGKILL
        assert open_catalog().index_states.state("default").dirty
        assert found("do herons wade in shallow water", legs=["dense"])[0] == "Herons"
        assert "Otters" not in found("do otters hold hands", legs=["dense"])
        ingest([str(notes)], graph_name="shared")
        after = open_catalog().index_states.state("default")
        assert (after.dirty, after.dense_generation) == (False, before.dense_generation)
        assert found("do herons wade in shallow water", legs=["dense"])[0] == "Grey herons"
        assert found("do otters hold hands", legs=["dense"])[0] == "Otters"
        assert_healthy()


def test_a_machine_follows_nothing_where_words_and_vectors_lie_in_the_engine(machines, notes, milvus, monkeypatch):
    def refuse(*_):
        raise AssertionError("there is nothing to follow")

    monkeypatch.setattr(replica, "_follow", refuse)
    changed_by_the_first_and_seen_by_the_second(machines, notes)
    for home in machines:
        with at_home(home):
            assert replica.behind(open_catalog(), "default") == 0
        assert not [*home.glob("sparse/*"), *home.glob("dense/*")]


def test_a_collection_moves_into_the_engine_and_back_on_both_machines(machines, notes, milvus):
    first, second = machines
    with at_home(first):
        ingest([str(notes)], graph_name="plain")
    for home in (second, first, second):
        with at_home(home):
            assert answers()
    for graph in ("shared", "plain"):
        with at_home(first):
            reindex("default", graph)
        for home in machines:
            with at_home(home):
                assert answers()
                assert_healthy()
        in_engine = graph == "shared"
        assert [len(list(home.glob("sparse/*"))) for home in machines] == ([0, 0] if in_engine else [1, 1])


def test_both_machines_write_into_the_engine(machines, notes, milvus):
    for number in range(2):
        for home in machines:
            write(
                notes, f"{home.name}-{number}.md", f"# {home.name} {number}\n\nWord{number} of the {home.name} one.\n"
            )
            with at_home(home):
                ingest([str(notes)], graph_name="shared")
    for home in machines:
        with at_home(home):
            assert {"first 1", "second 1"} <= set(found("word1", legs=["sparse"]))
            assert_healthy()
