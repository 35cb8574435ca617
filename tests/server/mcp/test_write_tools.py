"""Ingest and delete through the MCP server."""

import time

import anyio
import pytest

from khub.components.errors import KhubError
from khub.server.jobs.child_jobs import ChildJobs
from khub.server.jobs.job_at_work import JobAtWork
from khub.server.jobs.job_record import JobRecord, now
from khub.server.jobs.warm_processes import WarmProcesses
from khub.server.library.ingest import ingest
from khub.server.mcp.write_tools import _told

pytestmark = pytest.mark.e2e


@pytest.fixture
def folder(tmp_path):
    files = tmp_path / "files"
    files.mkdir()
    (files / "good.md").write_text("# Kettle\n\nThe kettle boils in four minutes.\n", encoding="utf-8")
    (files / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    return files


def test_files_are_ingested_in_the_background_asked_about_and_deleted(folder, with_client):
    async def test(client):
        async def call(name, **arguments):
            return await client.call_tool(name, arguments)

        refused = await call("ingest", paths=["../files"])
        assert refused.is_error
        assert str(folder) in refused.content[0].text
        assert (await call("ingest", paths=["good.md"], graph="query")).is_error
        started = time.monotonic()
        job = (await call("ingest", paths=["."], graph="ingest_fast")).structured_content
        assert time.monotonic() - started < 5
        assert job["state"] in ("queued", "running")
        with anyio.fail_after(60):
            while job["state"] in ("queued", "running"):
                await anyio.sleep(0.1)
                result = await call("job_status", job_id=job["job_id"])
                job = result.structured_content
        assert (job["state"], job["result"]["written"], job["result"]["failed"]) == ("finished", 1, 1)
        assert "broken.pdf" in result.content[0].text
        documents = (await call("describe")).structured_content["documents"]
        [good] = [row for row in documents if row["status"] == "ready"]
        answer = await call("query_knowledge_hub", query="kettle")
        assert "four minutes" in answer.content[0].text
        assert not (await call("delete_document", doc_id=good["doc_id"])).is_error
        assert (await call("delete_document", doc_id=good["doc_id"])).is_error
        answer = await call("query_knowledge_hub", query="kettle")
        assert answer.structured_content["abstained"]
        assert (folder / "good.md").is_file()

    with_client(test, allow_write=True, roots=(folder,))


def test_no_document_is_deleted_that_a_job_is_at_work_on(folder, with_client):
    (written,) = ingest([str(folder / "good.md")]).written
    record = JobRecord("0" * 32)

    async def test(client):
        with record.held():  # as the job's process does
            about = {"kind": "ingest", "state": "running", "collection": "default", "graph": "ingest", "caller": ""}
            record.add(**about, paths=[str(folder)], started_at=now())
            refused = await client.call_tool("delete_document", {"doc_id": written["doc_id"]})
            assert refused.is_error
            assert refused.content[0].text.endswith("[job_running]")
            record.update(state="finished")
        assert not (await client.call_tool("delete_document", {"doc_id": written["doc_id"]})).is_error

    with_client(test, allow_write=True, roots=(folder,))


@pytest.mark.unit
def test_files_that_failed_alike_are_told_of_together():
    def failed(name):
        return {
            "source": f"/a/{name}.pdf",
            "stage": "convert",
            "error": f"'{name}.pdf' is damaged",
            "remedy": "mend it",
        }

    counts = {"written": 0, "unchanged": 0, "failed": 60, "seconds": 1.0}
    result = {**counts, "failures": [failed(number) for number in range(50)], "passed_over": 0}
    told = _told({"job_id": "0" * 32, "state": "finished", "collection": "a", "result": result})
    assert told.count("mend it") == told.count("is damaged") == 1
    assert "/a/0.pdf" in told
    assert "/a/49.pdf" not in told
    assert "10 more" in told


def test_job_that_is_not_there(with_client):
    async def test(client):
        for name in ("0" * 32, "../../etc", "x"):
            assert (await client.call_tool("job_status", {"job_id": name})).is_error

    with_client(test, allow_write=True)


def test_no_more_than_a_few_jobs_at_once(folder, monkeypatch):
    started = []

    def start(*_):
        started.append(JobAtWork(lambda _: None))
        return started[-1]

    monkeypatch.setattr("khub.server.jobs.child_jobs.MOST_RUNNING", 2)
    monkeypatch.setattr(WarmProcesses, "run", start)
    jobs = ChildJobs()
    first, _ = (jobs.start([str(folder)], "default", "ingest_fast")["job_id"] for _ in range(2))
    with pytest.raises(KhubError, match="running"):
        jobs.start([str(folder)], "default", "ingest_fast")
    started[0].set_over()
    assert jobs.status(first)["state"] == "interrupted"
    assert jobs.start([str(folder)], "default", "ingest_fast")["state"] == "queued"
