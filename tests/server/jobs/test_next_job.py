"""Of the jobs of a collection that wait, one of few files goes before one of many, and none waits for ever."""

from datetime import UTC, datetime, timedelta

import pytest

from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.next_job import FEW, PASSED_S, next_job
from khub.server.jobs.service_jobs import ask_for_ingest, ask_for_sync, new_job_id

pytestmark = pytest.mark.unit


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "many"
    folder.mkdir()
    return folder


def ingest_of(*paths, collection="birds", graph="ingest"):
    return ask_for_ingest(new_job_id(), list(map(str, paths)), collection, graph, {})["job_id"]


def sync_of(folder):
    return ask_for_sync(str(folder), "birds", None)["job_id"]


def order(busy=()):
    """Let the jobs end one after the other; return them in the order in which they came."""
    found = []
    while job := next_job(busy):
        found.append(job["job_id"])
        JobRecord(job["job_id"]).update(state="finished")
    return found


def many(folder, *more):
    return ingest_of(*(folder / f"{number}.md" for number in range(FEW)), folder / "last.md", *more)


@pytest.mark.parametrize("large", [ingest_of, sync_of, many])
def test_few_files_go_before_many(folder, large):
    waits = large(folder)
    small = [ingest_of(f"/sent/{number}.md") for number in range(3)]
    assert order() == [*small, waits]


@pytest.mark.parametrize("large", [ingest_of, sync_of, many])
def test_jobs_of_the_same_file_keep_their_order(folder, large):
    waits = large(folder)
    same, other = ingest_of(folder / "0.md"), ingest_of("/sent/a.md")
    later = ingest_of("/sent/a.md", folder / "x.md")
    assert order() == [other, waits, same, later] if large is not many else [other, later, waits, same]


def test_a_file_that_waits_behind_another_one_of_it_lets_others_pass_and_not_its_own(folder):
    waits, same = ingest_of(folder), ingest_of(folder / "0.md", "/sent/b.md")
    again, other = ingest_of("/sent/b.md"), ingest_of("/sent/c.md")
    assert order() == [other, waits, same, again]


def test_no_job_waits_for_ever(folder):
    waits = ingest_of(folder)
    asked = datetime.now(UTC) - timedelta(seconds=PASSED_S + 1)
    JobRecord(waits).update(created_at=asked.isoformat(timespec="milliseconds"))
    small = ingest_of("/sent/a.md")
    assert order() == [waits, small]


def test_what_may_bind_the_collection_otherwise_is_not_passed(folder):
    waits, small = ingest_of(folder, graph="ingest_m3"), ingest_of("/sent/a.md")
    assert order() == [waits, small]
    anew = JobRecord(new_job_id())
    anew.add(kind="reindex", state="queued", collection="birds", graph="ingest", of_service=True, started_at="")
    small = ingest_of("/sent/a.md")
    assert order() == [anew.job_id, small]


def test_collections_do_not_wait_for_each_other(folder):
    first, second = ingest_of(folder), ingest_of("/sent/a.md", collection="fish")
    assert order(["birds"]) == [second]
    assert order() == [first]


def test_a_folder_is_not_taken_for_a_file(folder):
    first, second = ingest_of("/elsewhere"), ingest_of(folder)
    assert order() == [first, second]
    first, second = ingest_of(folder.parent / "x.md", folder), ingest_of("/sent/a.md")
    assert order() == [second, first]
