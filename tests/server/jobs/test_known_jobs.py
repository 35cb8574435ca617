"""A page of jobs holds those that the caller may know, without what is long."""

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.known_jobs import known_jobs
from khub.server.jobs.service_jobs import ask_for_ingest, cancel, new_job_id

pytestmark = pytest.mark.unit
BOUND = Caller("a.1", collections=frozenset({"default"}))


def asked(who):
    with calling_as(who):
        return ask_for_ingest(new_job_id(), ["/nowhere"], "default", "ingest", {})["job_id"]


def test_each_sees_its_own_and_the_owner_sees_all():
    own, others = asked(BOUND), asked(Caller("b.2"))
    with calling_as(BOUND):
        total, found = known_jobs([], 0, 50)
    assert (total, [job["job_id"] for job in found]) == (1, [own])
    assert {job["job_id"] for job in known_jobs([], 0, 50)[1]} == {own, others}
    with calling_as(Caller("", levels=("public",))):
        assert known_jobs([], 0, 50) == (0, [])


def test_pages_are_of_the_states_that_are_asked_for():
    ids = [asked(Caller()) for _ in range(3)]
    cancel(ids[0])
    assert known_jobs(["cancelled"], 0, 50)[0] == 1
    total, first = known_jobs(["queued"], 0, 1)
    second = known_jobs(["queued"], 1, 1)[1]
    assert total == 2
    assert {first[0]["job_id"], second[0]["job_id"]} == set(ids[1:])
    assert not known_jobs(["queued"], 2, 1)[1]


def test_lists_of_files_are_left_out():
    job_id = asked(Caller())
    JobRecord(job_id).update(files={"written": ["x"] * 1000}, traces=["y"])
    (job,) = known_jobs([], 0, 1)[1]
    assert {"files", "paths", "traces"}.isdisjoint(job)
    assert job["job_id"] == job_id
