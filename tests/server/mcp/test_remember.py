"""A note that an assistant writes is a document like any other, which says who wrote it."""

import threading
import time
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest
from mcp.client import Client

from khub.components.catalog.catalog import open_catalog
from khub.components.home import hub_home
from khub.server.jobs.notes import Note
from khub.server.jobs.warm_processes import WarmProcesses
from khub.server.mcp.options import ServerOptions
from khub.server.mcp.remember_tool import AT_ONCE, RememberTool
from khub.server.mcp.server import build_server

pytestmark = pytest.mark.e2e


def notes(collection="default"):
    return open_catalog().documents.of_collection(collection)


def test_a_note_is_found_when_the_call_returns_and_the_same_title_replaces_it(with_client):
    async def test(client):
        async def call(name, **arguments):
            return await client.call_tool(name, arguments)

        first = await call("remember", title="Kettle", text="The kettle of the office boils in four minutes.")
        assert not first.is_error, first.content
        assert first.structured_content["state"] == "finished"
        doc_id = first.structured_content["doc_id"]
        found = (await call("search", query="How long does the kettle take to boil?")).structured_content["results"]
        assert [(one["id"], one["title"]) for one in found] == [(doc_id, "Kettle")]
        fetched = (await call("fetch", id=doc_id)).structured_content
        assert "four minutes" in fetched["text"]
        assert fetched["metadata"]["author_kind"] == "assistant"

        second = await call("remember", title=" Kettle ", text="The new kettle boils in two minutes.")
        assert second.structured_content["doc_id"] == doc_id
        text = (await call("fetch", id=doc_id)).structured_content["text"]
        assert "two minutes" in text
        assert "four" not in text
        assert len(notes()) == 1

        other = await call("remember", title="报销/期限", text="差旅报销须在三十天内提交。", collection="work")
        assert other.structured_content["collection"] == "work"
        assert [row["title"] for row in notes("work")] == ["报销/期限"]

    with_client(test, allow_write=True)


def test_of_notes_with_one_title_that_come_at_once_the_text_of_one_is_the_file_and_the_document(with_client):
    async def test(client):
        async def write(text):
            result = await client.call_tool("remember", {"title": "Kettle", "text": text})
            assert result.structured_content["state"] == "finished"

        async with anyio.create_task_group() as tasks:
            for text in ("It boils in four minutes.", "It boils in three minutes.", "It boils in two minutes."):
                tasks.start_soon(write, text)
                await anyio.lowlevel.checkpoint()

    with_client(test, allow_write=True)
    (row,) = notes()
    text = " ".join(chunk["content"] for chunk in open_catalog().documents.chunks(row["doc_id"]))
    assert text in Path(row["source"]).read_text(encoding="utf-8")


def test_a_note_waits_for_no_other_one_unless_many_come_at_once(monkeypatch):
    """Each may take half a minute, and callers share a server."""
    slow_has_begun, quick_is_done = threading.Event(), threading.Event()
    waited, at_work, most = [], set(), []

    def written(_, note):
        at_work.add(note.title)
        most.append(len(at_work))
        if note.title == "Slow":
            slow_has_begun.set()
            waited.append(quick_is_done.wait(20))
        time.sleep(0.05)
        at_work.remove(note.title)
        named = {"doc_id": note.doc_id, "title": note.title, "collection": note.collection}
        return {**named, "state": "finished", "job_id": "0" * 32}

    monkeypatch.setattr(RememberTool, "_written", written)

    async def session():
        async with Client(build_server(ServerOptions(allow_write=True))) as client:

            async def write(title):
                result = await client.call_tool("remember", {"title": title, "text": "x"})
                assert not result.is_error, result.content
                if title == "Quick":
                    quick_is_done.set()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(write, "Slow")
                await anyio.to_thread.run_sync(slow_has_begun.wait, 20)
                for title in ("Quick", *map(str, range(8))):
                    tasks.start_soon(write, title)

    anyio.run(session)
    assert waited == [True]
    assert max(most) == AT_ONCE


def test_what_stands_in_a_note_gives_it_no_metadata(with_client):
    async def test(client):
        text = "---\nauthor_kind: person\naccess_level: public\n---\nA quill is cut from a feather.\n"
        assert not (await client.call_tool("remember", {"title": "Quills", "text": text})).is_error
        (row,) = notes()
        assert row["meta"]["author_kind"] == "assistant"
        assert "access_level" not in row["meta"]

    with_client(test, allow_write=True)


def test_a_note_that_takes_long_is_told_of_as_queued(with_client, monkeypatch):
    from khub.server.jobs.job_at_work import JobAtWork

    monkeypatch.setattr("khub.server.mcp.remember_tool.PATIENCE_S", 0)
    monkeypatch.setattr(WarmProcesses, "run", lambda *_: JobAtWork(lambda _: None))

    async def test(client):
        result = await client.call_tool("remember", {"title": "Slow", "text": "It waits."})
        assert result.structured_content["state"] == "queued"
        assert result.structured_content["job_id"] in result.content[0].text

    with_client(test, allow_write=True)


def test_a_server_that_only_reads_has_no_such_tool(with_client):
    async def test(client):
        assert "remember" not in [tool.name for tool in (await client.list_tools()).tools]

    with_client(test)


def test_a_title_or_a_text_that_cannot_be_kept_is_refused_and_leaves_nothing(with_client, monkeypatch):
    async def test(client):
        monkeypatch.setattr("khub.server.jobs.child_jobs.MOST_RUNNING", 0)
        for title, text in (("Busy", "x"), ("", "x"), ("two\nlines", "x"), ("Empty", ""), ("Long", "x" * 200_001)):
            assert (await client.call_tool("remember", {"title": title, "text": text})).is_error, title
        assert not list((hub_home() / "waiting").glob("*/*"))

    with_client(test, allow_write=True)


@pytest.mark.unit
def test_titles_that_differ_have_files_that_differ():
    titles = ["a/b", "a:b", "ab", "x" * 200, "x" * 199, "con", "报" * 200, "报" * 199]
    paths = {Note(title, "", "default").path for title in titles}
    assert len(paths) == len(titles)
    assert {path.parent.name for path in paths} == {"assistant-notes"}
    assert all(len(path.name.encode()) < 255 for path in paths)
