"""A disk without room: what is in stays, questions are answered, and one line says what to do."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.sqlite_database import SqliteDatabase as Database
from khub.components.disk_full import DiskFullError
from khub.components.errors import StoreError
from khub.components.stores.sparse_index import SparseIndex
from khub.eval.bench.corpus import Corpus
from khub.server.jobs.deletions import delete_document
from khub.server.library.collections import delete_collection
from khub.server.library.doctor import diagnose
from khub.server.library.ingest import ingest
from tests.server.hub_files import PIPELINES

ROOT = Path(__file__).parents[3]
LIMITED = """\
import resource, sys
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from khub.server.cli import main
main()
"""


@pytest.fixture
def filled(monkeypatch, notes):
    """A hub that holds three notes; return where their folder is."""
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))
    assert len(ingest([str(notes)], graph_name="ingest_fast").written) == 3
    return notes.parent


def full() -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorcode = sqlite3.SQLITE_FULL
    return error


@pytest.mark.e2e
@pytest.mark.skipif(sys.platform == "win32", reason="files have no largest size there")
def test_ingest_says_so_in_one_line_and_goes_on_when_there_is_room(filled):
    def khub(limit, *arguments):
        command = [sys.executable, "-c", LIMITED, str(limit), *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, cwd=filled, env=environment, capture_output=True, encoding="utf-8", check=False)

    for number in range(40):
        (filled / "notes" / f"{number}.md").write_text(Corpus("en", seed=number).document(6000), encoding="utf-8")
    refused = khub(150_000, "ingest", "notes", "--graph", "ingest_fast")
    said = refused.stderr.splitlines()
    assert refused.returncode == 1
    assert said[-1].startswith("khub: there is no room for more in ")
    assert "Traceback" not in refused.stderr
    asked = khub(0, "query", "Where do herons wade?")  # not even the log can be written
    assert asked.returncode == 0
    assert "birds.md" in asked.stdout
    assert asked.stderr.count("cannot be written") == 1
    assert len(ingest([str(filled / "notes")], graph_name="ingest_fast").written) == 40
    assert [found.findings.problems for found in diagnose(full=True)] == [[]]


@pytest.mark.integration
@pytest.mark.parametrize("everything", [False, True])
def test_deleting_makes_room_for_itself(filled, monkeypatch, everything):
    catalog = open_catalog()
    row = catalog.documents.find("default", "birds.md")
    copy = catalog.originals.path(row["sha256"], row["source"])
    begin = Database.transaction

    def transaction(database):
        if copy.exists():
            raise DiskFullError(database.path.parent, "full")
        return begin(database)

    monkeypatch.setattr(Database, "transaction", transaction)
    if everything:
        assert delete_collection("default") == 3
    else:
        assert delete_document("birds.md")["doc_id"] == row["doc_id"]
        assert catalog.originals.has(catalog.documents.find("default", "fish.txt"))
        assert [found.findings.problems for found in diagnose(full=True)] == [[]]


@pytest.mark.integration
def test_indexes_without_room_are_brought_up_to_date_later(filled, monkeypatch):
    def write(*_):
        raise StoreError("the keyword index cannot be used") from OSError(28, "No space left on device")

    with monkeypatch.context() as at_this_time:
        at_this_time.setattr(SparseIndex, "write", write)
        delete_document("birds.md")
        assert open_catalog().index_states.state("default").dirty
    assert len(ingest([str(filled / "notes")], graph_name="ingest_fast").written) == 1
    assert [found.findings.problems for found in diagnose(full=True)] == [[]]


@pytest.mark.integration
def test_a_keyword_index_that_takes_nothing_more_is_rebuilt(filled, monkeypatch):
    catalog = open_catalog()
    broken = catalog.index_states.state("default").physical("sparse")
    write = SparseIndex.write

    def refuse(index, *arguments):
        if index.folder.name == broken:
            raise StoreError("FileAlreadyExists")
        write(index, *arguments)

    monkeypatch.setattr(SparseIndex, "write", refuse)
    catalog.index_states.mark_dirty("default")
    catalog.chunks.withdraw("default", [catalog.documents.find("default", "birds.md")["doc_id"]])
    assert len(ingest([str(filled / "notes")], graph_name="ingest_fast").written) == 1
    assert catalog.index_states.state("default").physical("sparse") != broken
    assert [found.findings.problems for found in diagnose(full=True)] == [[]]


@pytest.mark.unit
def test_a_transaction_that_sqlite_took_back_says_why(tmp_path):
    database = Database(tmp_path / "catalog.sqlite3")

    def write():
        with database.transaction() as connection:
            connection.execute("ROLLBACK")  # as SQLite does by itself
            raise full()

    with pytest.raises(DiskFullError, match=r"no room .*free space"):
        write()


@pytest.mark.unit
def test_a_catalog_is_read_where_there_is_no_room_for_its_log(tmp_path, monkeypatch):
    def no_room(*_):
        raise full()

    path = tmp_path / "catalog.sqlite3"
    database = Database(path)
    with database.transaction() as connection:
        connection.execute("INSERT INTO vectors VALUES ('hash', 'model', x'00')")
    database.close()
    monkeypatch.setattr("khub.components.catalog.sqlite_database.write_ahead", no_room)
    assert database.row("SELECT text_hash FROM vectors")[0] == "hash"
    with pytest.raises(DiskFullError), database.transaction():
        pass
    monkeypatch.undo()
    with closing(sqlite3.connect(path)) as other:  # whose log is more than the file
        other.execute("DELETE FROM vectors")
        other.commit()
        monkeypatch.setattr("khub.components.catalog.sqlite_database.write_ahead", no_room)
        with pytest.raises(DiskFullError):
            database.row("SELECT text_hash FROM vectors")
