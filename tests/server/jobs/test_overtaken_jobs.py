"""What was deleted or sent anew is not brought back by a job that was asked for before."""

import pytest

from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.documents import doc_id_of
from khub.components.home import hub_home
from khub.server.jobs.deletions import delete_document, delete_file, delete_known_documents, delete_opened_collection
from khub.server.jobs.job_record import JobRecord, now
from khub.server.jobs.job_work import WORK
from khub.server.jobs.overtaken_jobs import AtWorkError
from khub.server.jobs.service_jobs import ask_for_ingest, ask_for_reindex, new_job_id
from khub.server.library.ingest import ingest
from khub.server.library.uploads import put_aside, uploads_of

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("pipelines", "converted_here")]

COLLECTION = "default"


def path_of(name, collection=COLLECTION):
    return str(uploads_of(collection) / name)


def sent(*names, text="text"):
    """Ask for an ingest of files that were sent; return the job's id."""
    job_id = new_job_id()
    parts = []
    for number, name in enumerate(names):
        parts.append(hub_home() / f"part-{number}")
        parts[-1].parent.mkdir(parents=True, exist_ok=True)
        parts[-1].write_text(f"# {name}\n\nIt is {text}.\n", encoding="utf-8")
    put_aside(parts, job_id)
    ask_for_ingest(job_id, [path_of(name) for name in names], COLLECTION, "ingest", {})
    return job_id


def done(job_id):
    """Do a job here, as its process would; return what is known of it then."""
    record = JobRecord(job_id)
    about = record.read()
    record.update(state="finished", finished_at=now(), **WORK[about["kind"]](record, about))
    return record.read()


def there(collection=COLLECTION):
    rows = open_catalog().documents.of_collection(collection)
    return sorted(row["source"].replace("\\", "/").rpartition("/")[2] for row in rows)


def by_id(name):
    delete_known_documents([doc_id_of(COLLECTION, path_of(name))])


@pytest.fixture
def birds():
    """Two documents that were sent."""
    done(sent("heron.md", "owl.md"))
    assert there() == ["heron.md", "owl.md"]


@pytest.mark.parametrize("delete", [by_id, delete_document, lambda name: delete_file(path_of(name))])
def test_a_deletion_wins_over_what_was_sent_before_it(birds, delete):
    older, newer_of_other = sent("heron.md", "stork.md", text="older"), sent("owl.md", text="newer")
    delete("heron.md")
    newer = sent("heron.md", text="newer")
    job = done(older)
    assert there() == ["owl.md", "stork.md"]
    assert (job["result"]["written"], job["result"]["removed"]) == (1, 1)
    assert job["files"]["removed"] == [path_of("heron.md")]
    assert not (uploads_of(COLLECTION) / "heron.md").exists()
    assert done(newer_of_other)["result"]["written"] == 1
    assert done(newer)["result"]["written"] == 1
    assert there() == ["heron.md", "owl.md", "stork.md"]
    assert not list((hub_home() / "waiting").iterdir())


def test_a_deletion_wins_over_a_folder_that_waits(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text(f"# {name}\n\nText.\n", encoding="utf-8")
    ingest([str(folder)])
    job_id = ask_for_ingest(new_job_id(), [str(folder)], COLLECTION, "ingest", {})["job_id"]
    delete_document("a.md")
    job = done(job_id)
    assert (there(), job["files"]["removed"]) == (["b.md"], [str(folder / "a.md")])


def text_of(name):
    chunks = open_catalog().chunks.visible(COLLECTION)
    return " ".join(chunk.content for chunk in chunks if chunk.meta["source"] == path_of(name))


def test_what_is_sent_anew_wins_over_what_was_sent_before_it(birds):
    older, newer = sent("heron.md", "stork.md", text="older"), sent("heron.md", text="newer")
    job = done(older)
    assert there() == ["heron.md", "owl.md", "stork.md"]
    assert (job["state"], job["result"]["written"], job["result"]["overtaken"]) == ("finished", 1, 1)
    assert job["files"]["overtaken"] == [path_of("heron.md")]
    assert "older" not in text_of("heron.md")
    job = done(newer)
    assert (job["result"]["written"], job["result"]["overtaken"], job["result"]["unchanged"]) == (1, 0, 0)
    assert "newer" in text_of("heron.md")
    assert "newer" in (uploads_of(COLLECTION) / "heron.md").read_text(encoding="utf-8")
    assert not list((hub_home() / "waiting").iterdir())


@pytest.mark.parametrize(
    "about", [{"state": "cancelled"}, {"state": "running"}, {"caller": "alice"}, {"graph": "ingest_fast"}]
)
def test_a_later_job_that_may_not_bring_the_same_overtakes_nothing(birds, about):
    older, newer = sent("heron.md", text="older"), sent("heron.md", text="newer")
    JobRecord(newer).update(**about)
    job = done(older)
    assert (job["result"]["written"], job["result"]["overtaken"]) == (1, 0)
    assert "older" in text_of("heron.md")


def test_of_many_versions_that_wait_the_last_one_comes_in(birds):
    jobs = [done(one)["result"] for one in [sent("heron.md", text=f"version {number}") for number in range(4)]]
    assert [(job["written"], job["overtaken"]) for job in jobs] == [(0, 1)] * 3 + [(1, 0)]
    assert "version 3" in text_of("heron.md")


def test_a_deletion_wins_over_all_versions_that_wait(birds):
    older, newer = sent("heron.md", text="older"), sent("heron.md", text="newer")
    delete_document("heron.md")
    assert [done(one)["result"]["written"] for one in (older, newer)] == [0, 0]
    assert there() == ["owl.md"]


def test_nothing_is_deleted_that_a_job_is_at_work_on(birds):
    waits, runs = sent("heron.md"), sent("heron.md")
    other = sent("owl.md")
    for job_id in (runs, other):
        JobRecord(job_id).update(state="running")
    with JobRecord(runs).held(), JobRecord(other).held():
        for delete in (by_id, delete_document):
            with pytest.raises(AtWorkError, match="at work"):
                delete("heron.md")
    assert there() == ["heron.md", "owl.md"]
    assert not JobRecord(waits).read().get("dropped")
    with JobRecord(other).held():
        by_id("heron.md")
    assert there() == ["owl.md"]
    for job_id in (waits, runs):  # the second was left by a service that was killed: it goes on at the next start
        assert JobRecord(job_id).read()["dropped"] == [path_of("heron.md")]
        done(job_id)
    assert there() == ["owl.md"]


def test_a_collection_takes_what_waits_with_it(birds):
    jobs = [sent("heron.md"), ask_for_reindex(COLLECTION, None)["job_id"]]
    elsewhere = ask_for_ingest(new_job_id(), ["/nowhere"], "elsewhere", "ingest", {})["job_id"]
    assert delete_opened_collection(COLLECTION) == 2
    assert [JobRecord(job_id).read()["state"] for job_id in (*jobs, elsewhere)] == ["cancelled"] * 2 + ["queued"]
    assert not open_catalog().collections.exists(COLLECTION)
    assert not list((hub_home() / "waiting").iterdir())


def test_a_collection_stays_in_which_a_job_is_at_work(birds):
    waits, runs = sent("heron.md"), sent("owl.md")
    JobRecord(runs).update(state="running")
    with JobRecord(runs).held(), pytest.raises(AtWorkError, match="cancel it"):
        delete_opened_collection(COLLECTION)
    assert (there(), JobRecord(waits).read()["state"]) == (["heron.md", "owl.md"], "queued")
    JobRecord(runs).update(state="finished")
    with JobRecord(runs).held():  # its process takes a moment more to end
        assert delete_opened_collection(COLLECTION) == 2
