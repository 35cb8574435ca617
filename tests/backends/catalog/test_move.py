"""A hub moves from a file into PostgreSQL and an object store, and back."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext

import pytest
from PIL import Image
from typer.testing import CliRunner

from khub.components.catalog import catalog as catalogs
from khub.components.catalog.catalog import Catalog, open_catalog
from khub.components.catalog.documents import doc_id_of
from khub.components.home import at_home, hub_home
from khub.components.stores.collection_lock import locks_of
from khub.components.stores.open_indexes import close_readers
from khub.server.cli import app
from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.runner import Runner, is_run_here
from khub.server.library.collections import delete_documents
from khub.server.library.ingest import ingest
from khub.server.library.uploads import uploads_of
from khub.server.moving.move import move
from khub.server.named_tokens import create_token
from khub.server.questions.ask import ask
from tests.conditions import until as until_true
from tests.error_codes import raises_code

psycopg = pytest.importorskip("psycopg", reason="pip install psycopg")
pytest.importorskip("psycopg_pool", reason="pip install psycopg")

pytestmark = pytest.mark.integration

BIRDS = ("heron", "otter", "kingfisher", "badger", "lapwing", "curlew")
QUESTIONS = ("where do herons wade", "婚假几天", "a bird at the pond at dawn", "年假 第三年", "lime trees in bloom")


@pytest.fixture(autouse=True)
def closed_at_the_end():
    yield
    from khub.components.catalog.postgres_database import close_all

    close_all()


@pytest.fixture
def url(new_database):
    return new_database()


@pytest.fixture
def notes(tmp_path):
    """A dozen notes in two languages, some of which say the same, and files with pictures."""
    folder = tmp_path / "notes"
    folder.mkdir()
    same = "Bees dance to tell each other where the lime trees are in bloom this week. " * 6
    for number, bird in enumerate(BIRDS):
        (folder / f"{bird}.md").write_text(
            f"# {bird}\n\nThe {bird} wades in the pond at dawn.\n\n## Bees\n\n{same}\n", encoding="utf-8"
        )
        (folder / f"{bird}-zh.md").write_text(
            f"# 制度 {number}\n\n婚假为十天，年假第{number}年起顺延，须提前两周申请。\n", encoding="utf-8"
        )
    return folder


@pytest.fixture
def charts(tmp_path):
    folder = tmp_path / "charts"
    folder.mkdir()
    Image.effect_noise((320, 240), 60).convert("RGB").save(folder / "chart.png")
    return folder


@pytest.fixture
def hub(notes, charts, converted_here):
    """A hub in a file with two collections."""
    ingest([str(notes)], graph_name="ingest_fast")
    ingest([str(charts), str(notes / "heron.md")], "charts")
    return hub_home()


def use(monkeypatch, url, files=""):
    """Let what follows be done by the hub in that place, as by processes that have just begun."""
    for name, value in (("KHUB_DATABASE_URL", url), ("KHUB_FILES", files)):
        if value:
            monkeypatch.setenv(name, value)
        else:
            monkeypatch.delenv(name, raising=False)
    close_readers()
    catalogs._catalog_at.cache_clear()


def silent(_what, _unit):
    return nullcontext(lambda _done, _total: None)


def khub(*words, code=0):
    done = CliRunner().invoke(app, [*words])
    assert done.exit_code == code, done.output
    return done.stdout


def answers():
    """Return what each question finds, by each leg, and how it is scored."""
    found = {}
    for text in QUESTIONS:
        for legs in (None, ["dense"], ["sparse"]):
            answer = ask(text, "default", legs=legs)
            assert answer.citations
            assert not answer.degraded
            found[text, str(legs)] = [(citation.chunk_id, citation.score) for citation in answer.citations]
    return found


def pictures():
    rows = open_catalog().documents.of_collection("charts")
    return [image["image_id"] for row in rows for image in open_catalog().images.of_document(row["doc_id"])]


def test_there_and_back_the_answers_are_the_same_and_the_doctor_finds_nothing(hub, url, s3, monkeypatch, notes):
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    files = f"s3://hub/move-{os.getpid()}"
    before, seen = answers(), pictures()
    generations = sorted(path.name for path in hub.glob("*/*_g*"))
    told = json.loads(khub("move", "--to", url, "--files", files, "--json"))
    assert told["differences"] == told["lost"] == []
    assert told["counts"]["collections"] == {"old": 2, "new": 2}
    assert all(one["old"] == one["new"] > 0 for one in told["counts"].values())
    assert told["environment"]["KHUB_FILES"] == files
    assert answers() == before  # the old one answers

    use(monkeypatch, url, files)
    kept = {kind: sorted(path for path in (hub / kind).glob("*/*")) for kind in ("originals", "images")}
    for kind in kept:
        shutil.rmtree(hub / kind)
    assert answers() == before
    assert sorted(path.name for path in hub.glob("*/*_g*")) == generations  # nothing was built anew
    assert pictures() == seen
    for kind, paths in kept.items():
        assert all(open_catalog().files.find(path) for path in paths), kind
    khub("doctor", "--full")
    (notes / "new.md").write_text("# New\n\nA bittern booms in the reeds.\n", encoding="utf-8")
    ingest([str(notes)], graph_name="ingest_fast")
    assert any(citation.title == "New" for citation in ask("where does the bittern boom", "default").citations)
    before = answers()
    for kind in kept:
        shutil.rmtree(hub / kind)

    khub("move", "--to", "file", "--files", "folder", code=1)  # the old one is still there
    (hub / "catalog.sqlite3").rename(hub / "old.sqlite3")
    khub("move", "--to", "file", "--files", "folder")
    use(monkeypatch, "")
    assert all(path.is_file() for paths in kept.values() for path in paths)
    assert answers() == before
    assert pictures() == seen
    khub("doctor", "--full")
    (notes / "last.md").write_text("# Last\n\nA wagtail runs over the lawn.\n", encoding="utf-8")
    ingest([str(notes)], graph_name="ingest_fast")
    assert any(citation.title == "Last" for citation in ask("where does the wagtail run", "default").citations)
    khub("doctor", "--full")


def is_a_hub(url):
    return bool(Catalog(hub_home(), url).collections.names())


def steps_that(act, at="rows"):
    """Return what is told of progress: it does something in the middle of a step."""

    @contextmanager
    def steps(what, unit):
        def shown(_done, _total):
            if (what, unit) == ("move", at):
                act()

        yield shown

    return steps


def until(found, program):
    end = time.monotonic() + 60
    while not found():
        assert program.poll() is None, program.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_move_that_was_killed_goes_on_and_before_that_there_is_no_hub(hub, url):
    before = answers()
    draft = Catalog(hub, url).database.draft()
    with draft.transaction():
        pass  # its tables are there
    with psycopg.connect(url) as blocking:
        blocking.execute("LOCK TABLE khub_moving.vectors IN EXCLUSIVE MODE")  # it can be read
        command = [sys.executable, "-m", "khub.server.cli", "move", "--to", url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as program:
            until(lambda: draft.row("SELECT 1 FROM chunks LIMIT 1"), program)
            assert answers() == before
            with raises_code("lock_held"):
                move(url, "", silent)
            program.send_signal(signal.SIGKILL)
            program.wait()
        assert not is_a_hub(url)
    written = "SELECT MIN(xmin::text::bigint), MAX(xmin::text::bigint) FROM {}.chunks"
    first = draft.row(written.format("khub_moving"))
    draft.close()
    moved = move(url, "", silent)
    assert moved.differences == []
    assert is_a_hub(url)
    new = Catalog(hub, url)
    assert tuple(new.database.row(written.format("khub"))) == tuple(first)  # they were not written again
    assert new.vectors.dimension("default") > 0


def test_a_move_into_a_file_that_was_stopped_goes_on_with_what_has_changed_meanwhile(hub, url, notes, monkeypatch):
    move(url, "", silent)
    (hub / "catalog.sqlite3").unlink()
    use(monkeypatch, url)
    before = answers()

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move("", "", steps_that(stop))
    assert not (hub / "catalog.sqlite3").exists()
    (notes / "later.md").write_text("# Later\n\nA snipe drums over the bog.\n", encoding="utf-8")
    ingest([str(notes)], graph_name="ingest_fast")
    before = answers()
    assert move("", "", silent).differences == []
    use(monkeypatch, "")
    assert answers() == before
    assert "Later" in {citation.title for citation in ask("what does the snipe do", "default").citations}
    assert not (hub / "moving.sqlite3").exists()
    khub("doctor", "--full")


def test_what_is_written_meanwhile_is_a_difference_and_the_next_time_goes_on(hub, url):
    old = open_catalog()
    written = []

    def write():
        written.append(old.vectors.put([(f"{len(written):032}", [1.0, 2.0])], "another"))

    moved = move(url, "", steps_that(write))
    assert written
    here, there = moved.counts["vectors"]
    assert here == there + len(written)
    assert [line for line in moved.differences if "vectors" in line]
    assert not is_a_hub(url)
    assert move(url, "", silent).differences == []
    assert is_a_hub(url)


def test_a_collection_that_comes_meanwhile_is_a_difference(hub, url):
    made = []

    @contextmanager
    def steps(_what, _unit):
        made.append(open_catalog().collections.create("later"))  # before the rows are read
        yield lambda _done, _total: None

    assert [line for line in move(url, "", steps).differences if "later" in line]
    assert made[0]
    assert not is_a_hub(url)
    assert move(url, "", silent).differences == []


def test_a_row_that_has_changed_in_the_new_place_is_a_difference_and_the_command_fails(hub, url, monkeypatch):
    draft = Catalog(hub, url).database.draft()

    def change():
        with draft.transaction() as connection:
            connection.execute("UPDATE chunks SET content = 'other' WHERE ordinal = 0")

    @contextmanager
    def steps(what, _unit):
        if what == "check":
            change()
        yield lambda _done, _total: None

    moved = move(url, "", steps)
    assert moved.counts["chunks"][0] == moved.counts["chunks"][1]
    assert len(moved.differences) == 1
    assert "chunks" in moved.differences[0]
    assert not is_a_hub(url)
    monkeypatch.setattr("khub.server.commands.progress.progress", steps)
    told = json.loads(khub("move", "--to", url, "--json", code=1))
    assert told["differences"]
    draft.close()


def test_rows_come_in_their_order_and_numbers_go_on_behind_them(hub, url, monkeypatch):
    old = open_catalog()
    with old.database.transaction() as connection:  # the first chunk becomes the last one
        row = connection.execute("SELECT MIN(rowid) FROM chunks").fetchone()
        connection.execute("UPDATE chunks SET rowid = (SELECT MAX(rowid) + 7 FROM chunks) WHERE rowid = ?", tuple(row))
        connection.execute("UPDATE chunks SET content = content || ? WHERE ordinal = 0", ("\0x",))
        connection.execute("INSERT INTO keyed_chunks VALUES (41, 'old')")
    order = "SELECT chunk_id, content FROM chunks ORDER BY rowid"
    before = [(row[0], row[1].replace("\0", "")) for row in old.database.rows(order)]
    assert move(url, "", silent).differences == []
    use(monkeypatch, url)
    new = open_catalog()
    assert [tuple(row) for row in new.database.rows(order)] == before
    with new.database.transaction() as connection:
        connection.execute("INSERT INTO keyed_chunks (chunk_id) VALUES ('new')")
    assert new.database.row("SELECT id FROM keyed_chunks WHERE chunk_id = 'new'")[0] == 42


def test_another_machine_that_had_this_hub_before_builds_its_indexes_anew(
    hub, url, new_database, notes, monkeypatch, tmp_path
):
    move(url, "", silent)
    use(monkeypatch, url)
    other = tmp_path / "other"
    with at_home(other):
        assert answers()
    (hub / "catalog.sqlite3").unlink()
    move("", "", silent)
    use(monkeypatch, "")
    (notes / "later.md").write_text("# Later\n\nA snipe drums over the bog.\n", encoding="utf-8")
    ingest([str(notes)], graph_name="ingest_fast")
    delete_documents([doc_id_of("default", str(notes / "heron.md"))], "default")
    again = new_database()
    move(again, "", silent)
    use(monkeypatch, again)
    with at_home(other):
        assert "Later" in {citation.title for citation in ask("what does the snipe do", "default").citations}
        assert "heron" not in {citation.title for citation in ask("where do herons wade", "default").citations}
        khub("doctor", "--full")


def test_a_place_with_a_hub_is_refused_and_an_empty_one_is_not(hub, url, monkeypatch, tmp_path, notes):
    with Catalog(hub, url).database.transaction():
        pass  # as a service does that was started there
    assert move(url, "", silent).differences == []
    with raises_code("store_occupied", "hub_"):
        move(url, "", silent)
    use(monkeypatch, url)
    with raises_code("store_occupied", hub / "catalog.sqlite3"):
        move("", "", silent)
    with raises_code("option_invalid", "hub_"):
        move(url, "", silent)
    use(monkeypatch, "")
    with raises_code("option_invalid", hub):
        move("", "", silent)


def test_a_hub_whose_jobs_a_service_does_is_not_moved(hub, url):
    with Runner().running():
        until_true(is_run_here)
        with raises_code("lock_held", "khub serve", hub):
            move(url, "", silent)
    assert move(url, "", silent).differences == []


def test_what_lies_in_the_new_place_is_not_lost(hub, url, monkeypatch):
    new = Catalog(hub, url)
    with new.database.transaction() as connection:
        connection.execute("CREATE TABLE mine (text TEXT)")
    with raises_code("store_occupied", "mine"):
        move(url, "", silent)
    with new.database.transaction() as connection:
        connection.execute("DROP TABLE mine")
    monkeypatch.setenv("KHUB_DATABASE_URL", url)
    create_token("ana")
    monkeypatch.delenv("KHUB_DATABASE_URL")
    with raises_code("store_occupied", "hub_"):
        move(url, "", silent)
    assert new.shared_tokens.remove("ana")
    new.jobs.add({"job_id": "a" * 32, "state": "queued", "collection": "default"})
    with raises_code("store_occupied", "hub_"):
        move(url, "", silent)
    new.jobs.update("a" * 32, {"state": "cancelled"})
    assert move(url, "", silent).differences == []


def test_a_schema_that_was_made_for_the_hub_is_no_hub(hub, url):
    with psycopg.connect(url) as connection:
        connection.execute("CREATE SCHEMA khub")
    assert move(url, "", silent).differences == []
    assert is_a_hub(url)


def test_a_schema_that_holds_something_else_stays_as_it_is(hub, url):
    with psycopg.connect(url) as connection:
        connection.execute("CREATE SCHEMA khub")
        connection.execute("CREATE TABLE khub.others (name TEXT)")
    with raises_code("store_unreachable", "others"):
        move(url, "", silent)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT COUNT(*) FROM khub.others").fetchone() == (0,)


def test_a_job_that_waits_or_runs_and_a_writer_are_told_before_any_work(hub, url):
    job = JobRecord("0" * 32)
    job.add(kind="ingest", state="queued", collection="default", graph="ingest", of_service=True, started_at="")
    for state in ("queued", "running", "interrupted"):
        job.update(state=state)
        with raises_code("lock_held", "0" * 32, state):
            move(url, "", silent)
    job.update(state="finished")
    with locks_of(open_catalog(), "default").writer(), raises_code("lock_held"):
        move(url, "", silent)
    assert not Catalog(hub, url).database.draft().exists()
    of_command = JobRecord("1" * 32)
    of_command.add(kind="ingest", door="khub ingest", state="interrupted", collection="default", started_at="")
    with of_command.held(), raises_code("lock_held", "running"):
        move(url, "", silent)
    assert move(url, "", silent).differences == []


def test_a_hub_of_which_a_part_is_closed_is_not_moved(hub, url, monkeypatch):
    monkeypatch.setenv("KHUB_ACCESS", "public")
    with raises_code("access_denied", "KHUB_ACCESS"):
        move(url, "", silent)


def test_a_place_that_cannot_be_used_is_told_before_any_work(hub, url, s3, monkeypatch):
    with raises_code("store_unreachable", "127.0.0.1"):
        move("postgresql://khub@127.0.0.1:9/khub", "", silent)
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    with monkeypatch.context() as wrong, raises_code("store_unreachable", "s3://hub/x"):
        wrong.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        move(url, "s3://hub/x", silent)
    with raises_code("setting_invalid", "nothing"):
        move(url, "nothing", silent)
    newer = Catalog(hub, url).database
    with newer.transaction() as connection:
        connection.execute("UPDATE catalog_version SET number = 99")
    with raises_code("store_newer", "99"):
        move(url, "", silent)
    assert not (hub / "replica.sqlite3").exists()


def test_files_that_are_lost_are_told_and_those_that_are_there_are_not_sent_again(hub, url, s3, monkeypatch):
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    files = f"s3://hub/lost-{os.getpid()}"
    gone, damaged, *_ = originals = sorted((hub / "originals").glob("*/*"))
    gone.unlink()
    damaged.write_bytes(b"damaged")

    def stop():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move(url, files, steps_that(stop))
    sent = {one["path"]: one["last_modified"] for one in listed(files)}
    assert sent
    moved = move(url, files, silent)
    assert (moved.differences, sorted(moved.lost)) == ([], [str(gone), str(damaged)])
    assert moved.counts["originals"] == (len(originals) - 2, len(originals) - 2)
    kept = {one["path"]: one["last_modified"] for one in listed(files)}
    assert {path: kept[path] for path in sent if damaged.name not in path} == {
        path: time for path, time in sent.items() if damaged.name not in path
    }


def test_a_file_that_was_sent_goes_too(hub, url, s3, monkeypatch):
    for name, value in s3.items():
        monkeypatch.setenv(name, value)
    files = f"s3://hub/sent-{os.getpid()}"
    sent = uploads_of("default") / "letters" / "sent.md"
    sent.parent.mkdir(parents=True)
    sent.write_text("# Sent\n\nA letter on storks.\n", encoding="utf-8")
    ingest([str(sent)], graph_name="ingest_fast")
    assert move(url, files, silent).counts["sent files"] == (1, 1)
    use(monkeypatch, url, files)
    sent.unlink()
    (hub / "catalog.sqlite3").unlink()
    assert move("", "", silent).counts["sent files"] == (1, 1)
    assert "storks" in sent.read_text(encoding="utf-8")


def listed(url):
    import obstore
    from obstore.store import from_url

    return [one for part in obstore.list(from_url(url)) for one in part]
