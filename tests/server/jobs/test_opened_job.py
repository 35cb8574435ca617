"""No door names a file of a job whose document is closed to the caller."""

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.server.jobs.child_jobs import ChildJobs
from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.known_jobs import known_jobs
from khub.server.jobs.service_jobs import add_job, job_of
from khub.server.library.ingest import ingest
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration
DOORS = {
    "the service": job_of,
    "an assistant": lambda job_id: ChildJobs().status(job_id),
    "the list": lambda _: known_jobs([], 0, 1)[1][0],
}
WHO = Caller("a.1", levels=("public",))


@pytest.mark.parametrize("door", DOORS)
def test_a_door_names_what_is_opened_alone(door, tmp_path, monkeypatch, converted_here):
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))
    named = {}
    for level in ("public", "secret"):
        file = tmp_path / f"{level}.md"
        file.write_text(f"# {level}\n\nText.\n", encoding="utf-8")
        assert not ingest([str(file)], "docs", "ingest_fast", meta={"access_level": level}).failed
        named[level] = str(file)
    with calling_as(WHO):
        job_id = add_job("docs", "ingest_fast", kind="ingest", paths=[*named.values()])["job_id"]
    written = [{"doc_id": "x", "source": source, "pages": None, "chunks": 1} for source in named.values()]
    ended = [[source, "written"] for source in named.values()]
    result = {"written": 2, "degraded": [{"stage": "refine", "reason": "", "source": named["secret"]}]}
    JobRecord(job_id).update(
        state="finished", files={"written": written}, result=result, progress={"at_work": [], "ended": ended}
    )
    with calling_as(WHO):
        told = DOORS[door](job_id)
    assert named["public"] in str(told)
    assert named["secret"] not in str(told)
    assert told["result"]["written"] == 2
    assert named["secret"] in str(DOORS[door](job_id)), "whoever runs the hub sees all"
