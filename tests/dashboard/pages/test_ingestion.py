"""Files come in from the pages by jobs that everybody sees who may, and nothing goes without being agreed to."""

from pathlib import Path

import pytest

from khub.components.catalog.access import Caller, calling_as
from khub.components.catalog.catalog import open_catalog
from khub.server.access_right import Access
from khub.server.jobs.command_jobs import command_job
from khub.server.jobs.job_record import JobRecord, now
from khub.server.jobs.job_work import WORK
from khub.server.jobs.runner import Runner
from khub.server.jobs.service_jobs import ask_for_ingest, ask_for_reindex, ask_for_sync, new_job_id
from khub.server.library.ingest_result import IngestResult, Progress
from khub.server.library.uploads import uploads_of
from tests.dashboard.conftest import COLLECTION, audited, tables, texts, use_table
from tests.server.http.test_graph_routes import until

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

STORKS = ("storks.md", b"# Storks\n\nStorks nest on chimneys.\n", "text/markdown")
LARKS = ("larks.md", b"# Larks\n\nLarks sing.\n", "text/markdown")
EMPTY = ("empty.md", b"", "text/markdown")
READER, GUEST = (Access.READ, Caller("reader.1")), Caller("guest.2", collections=frozenset({COLLECTION}))


@pytest.fixture
def as_visitor(monkeypatch):
    """Return a function: pages are looked at by this caller from now on."""

    def visiting(access, who):
        monkeypatch.setattr("khub.dashboard.page.visitor", lambda: (access, who))
        monkeypatch.setattr("khub.dashboard.visitor.visitor", lambda: (access, who))

    return visiting


@pytest.fixture
def folder(tmp_path):
    """Two notes in a folder that are in the collection."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in ("owls", "larks"):
        (folder / f"{name}.md").write_text(f"# {name}\n\nOf {name}.\n", encoding="utf-8")
    done(ask_for_ingest(new_job_id(), [str(folder)], COLLECTION, "ingest", {})["job_id"])
    return folder


def done(job_id):
    """Do a job here, as its process would, and return what is known of it then."""
    record = JobRecord(job_id)
    about = record.read()
    record.update(state="finished", finished_at=now(), **WORK[about["kind"]](record, about))
    return record.read()


def jobs():
    return open_catalog().jobs.listed()


def sources(collection=COLLECTION):
    return {row["source"].rpartition("/")[2]: row for row in open_catalog().documents.of_collection(collection)}


def click(page, key):
    page.button(key=key).click().run()
    assert not page.exception, page.exception


def upload(page, *files):
    page.file_uploader[0].set_value(list(files)).run()
    assert not page.exception, page.exception
    return page


def keys(page):
    return {button.key for button in page.button}


def test_files_that_are_sent_become_documents_by_a_job(hub, open_page):
    page = upload(open_page("ingestion", collection=COLLECTION), STORKS)
    page.multiselect(key="tags of files").set_value([])
    page.text_area(key="metadata of files").set_value('{"team": "birds"}').run()
    click(page, "ingest files")
    (job,) = jobs()
    asked = {key: job[key] for key in ("state", "kind", "collection", "graph", "meta", "caller", "of_service")}
    assert asked == {
        "state": "queued",
        "kind": "ingest",
        "collection": COLLECTION,
        "graph": "ingest",
        "meta": {"team": "birds"},
        "caller": "",
        "of_service": True,
    }
    assert job["paths"] == [str(uploads_of(COLLECTION) / "storks.md")]
    assert page.query_params["job"] == job["job_id"]
    assert not page.file_uploader
    with Runner().running():
        until(lambda: jobs()[0]["state"] == "finished", 60)
    page.run()
    assert "finished" in texts(page)
    assert "New or changed **1**" in texts(page)
    assert [name for name, *_ in tables(page)[0]] == ["storks.md 1 passage"]
    assert sources()["storks.md"]["meta"]["team"] == "birds"
    assert len(jobs()[0]["traces"]) == 1


def test_a_dry_run_names_every_file_and_leaves_nothing(hub, open_page):
    page = upload(open_page("ingestion", collection=COLLECTION), STORKS, EMPTY)
    click(page, "look at files")
    shown = page.dataframe[0].value
    assert dict(zip(shown["File"], shown["What happens"], strict=True)) == {
        "storks.md": "new",
        "empty.md": "cannot come in",
    }
    assert not jobs()
    assert not list((hub / "incoming").iterdir())
    assert not uploads_of(COLLECTION).exists()
    page.file_uploader[0].set_value([STORKS]).run()
    assert not page.dataframe  # it was of other files


def test_what_is_sent_again_is_foretold_as_a_replacement(hub, open_page):
    click(upload(open_page("ingestion", collection=COLLECTION), STORKS), "ingest files")
    done(jobs()[0]["job_id"])
    page = upload(
        open_page("ingestion", collection=COLLECTION), ("storks.md", b"# Storks\n\nThey are white.\n", "text/markdown")
    )
    click(page, "look at files")
    assert list(page.dataframe[0].value["What happens"]) == ["read again"]


def test_a_file_that_is_too_large_is_refused(hub, open_page, monkeypatch):
    monkeypatch.setenv("KHUB_UPLOAD_MB", "1")
    page = upload(open_page("ingestion", collection=COLLECTION), ("large.md", b"x" * 1_000_001, "text/markdown"))
    click(page, "ingest files")
    assert "large.md" in page.error[0].value.replace("\\", "")
    assert not jobs()
    assert not list((hub / "incoming").iterdir())


def test_a_failed_file_is_shown_with_its_remedy_and_tried_again(hub, open_page):
    click(upload(open_page("ingestion", collection=COLLECTION), STORKS, EMPTY), "ingest files")
    job = done(jobs()[0]["job_id"])
    page = open_page("ingestion", view="jobs", job=job["job_id"])
    assert "empty.md" in texts(page)
    assert "leave it out" in texts(page)
    uploads_of(COLLECTION).joinpath("empty.md").write_text("# No longer empty\n", encoding="utf-8")
    click(page, "try again")
    again = next(one for one in jobs() if one["job_id"] == page.query_params["job"])
    assert again["paths"] == [str(uploads_of(COLLECTION) / "empty.md")]
    assert done(again["job_id"])["result"]["written"] == 1


def test_a_line_tells_what_was_found_in_a_file(hub, open_page):
    table = b"# Storks\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"
    click(upload(open_page("ingestion", collection=COLLECTION), ("storks.md", table, "text/markdown")), "ingest files")
    job = done(jobs()[0]["job_id"])
    page = open_page("ingestion", view="jobs", job=job["job_id"])
    ((name, seconds),) = tables(page)[0]
    assert name == "storks.md 1 table · 1 passage"
    assert seconds == f"{job['files']['written'][0]['seconds']} s"


def test_files_that_were_read_together_have_no_time_of_their_own(hub, open_page):
    click(upload(open_page("ingestion", collection=COLLECTION), STORKS, LARKS), "ingest files")
    job = done(jobs()[0]["job_id"])
    assert [len(row) for row in tables(open_page("ingestion", view="jobs", job=job["job_id"]))[0]] == [1, 1]


def test_a_job_that_was_cancelled_tells_which_files_came_in(hub, open_page):
    for file in (STORKS, EMPTY):
        click(upload(open_page("ingestion", collection=COLLECTION), file), "ingest files")
        done(jobs()[0]["job_id"])
    sent = [str(uploads_of(COLLECTION) / name) for name in ("storks.md", "empty.md", "late.md")]
    job_id = ask_for_ingest(new_job_id(), sent, COLLECTION, "ingest", {})["job_id"]
    begun = min(row["updated_at"] for name, row in sources().items() if name in ("storks.md", "empty.md"))
    JobRecord(job_id).update(started_at=begun, state="cancelled")
    page = open_page("ingestion", view="jobs", job=job_id)
    states = {name.split()[0]: state for name, state in tables(page)[0]}
    assert states == {"storks.md": "New or changed", "empty.md": "Failed", "late.md": "Not read"}
    assert "leave it out" in str(tables(page))


def test_only_a_page_of_many_files_is_sent(hub, open_page):
    sent = [str(uploads_of(COLLECTION) / f"{number}.md") for number in range(10_000)]
    page = open_page(
        "ingestion", view="jobs", job=ask_for_ingest(new_job_id(), sent, COLLECTION, "ingest", {})["job_id"]
    )
    assert len(tables(page)[0]) == 50
    page.pagination[0].set_value(200).run()
    assert tables(page)[0][-1][0] == "9999.md"


def test_the_collection_is_the_one_that_is_looked_at_or_was_filled_last(hub, open_page):
    page = upload(open_page("ingestion"), STORKS)
    box = page.selectbox(key="collection of files")
    assert box.value == COLLECTION  # the only one
    box.set_value("default")
    click(page, "ingest files")
    done(jobs()[0]["job_id"])
    again = upload(open_page("ingestion"), STORKS)  # a visit that knows nothing of it
    assert again.selectbox(key="collection of files").value == "default"
    assert (
        upload(open_page("ingestion", collection=COLLECTION), STORKS).selectbox(key="collection of files").value
        == COLLECTION
    )
    page.query_params.clear()
    page = upload(page.run(), STORKS)
    assert page.selectbox(key="collection of files").value == "default"


def test_an_empty_hub_offers_the_samples(open_page):
    click(open_page("ingestion"), "samples")
    (job,) = jobs()
    assert (job["collection"], job["kind"]) == ("demo", "ingest")
    assert (Path(job["paths"][0]) / "ember-300-operator-manual-en.pdf").is_file()


def test_a_hub_with_documents_offers_no_samples(hub, open_page):
    assert "samples" not in keys(open_page("ingestion"))


def test_files_that_failed_alike_are_shown_together(hub, open_page):
    failed = [{"source": f"/n/{n}.md", "stage": "convert", "error": f"'{n}.md' is empty", "remedy": "leave it out"}
              for n in range(30)]  # fmt: skip
    with command_job("khub ingest", "ingest", COLLECTION, "ingest", paths=["/n"]) as job:
        job.result = IngestResult(COLLECTION, "ingest", failed=failed)
    page = open_page("ingestion", view="jobs", job=jobs()[0]["job_id"])
    assert texts(page).count("leave it out") == 1
    assert "30 files" in texts(page)
    page = open_page("ingestion", view="jobs")
    ((line,),) = tables(page)[0]
    assert "30 failed" in line
    assert "khub ingest" in line
    assert page.title[0].value != open_page("ingestion").title[0].value


def test_what_a_command_is_at_is_running_and_ended_by_nobody_else(open_page):
    with command_job("khub ingest", "ingest", COLLECTION, "ingest", paths=["/n"]) as job:
        job.noting()(Progress(0, 1, 0, 0, 0))
        page = open_page("ingestion", view="jobs", job=jobs()[0]["job_id"])
        assert "running" in texts(page)
        assert "cancel job" not in keys(page)


def test_a_failed_first_upload_is_listed_and_goes_with_its_file(open_page):
    page = upload(open_page("ingestion", collection=COLLECTION), EMPTY)
    box = page.selectbox(key="collection of files")
    box.options.append("fresh")  # as if it were typed
    box.set_value("fresh")
    click(page, "ingest files")
    done(jobs()[0]["job_id"])
    kept = uploads_of("fresh") / "empty.md"
    assert kept.is_file()
    page = open_page("documents", collection="fresh", status="again")
    use_table(page, "documents", selected=[row["doc_id"] for row in sources("fresh").values()])
    page.menu_button(key="change").click("delete").run()
    page.menu_button(key="change").click("delete")  # the window stays open by itself in a browser alone
    click(page, "delete them")
    assert not sources("fresh")
    assert not kept.exists()


def test_a_job_is_cancelled(hub, open_page):
    job_id = ask_for_ingest(new_job_id(), ["/nowhere"], COLLECTION, "ingest", {})["job_id"]
    page = open_page("ingestion", view="jobs", job=job_id)
    assert "waiting" in texts(page)
    click(page, "cancel job")
    assert jobs()[0]["state"] == "cancelled"
    assert "cancelled" in texts(page)


def test_a_running_job_tells_of_its_stage_and_its_files(hub, open_page):
    job_id = ask_for_ingest(new_job_id(), ["/nowhere"], COLLECTION, "ingest", {})["job_id"]
    progress = {"done": 1, "total": 3, "chunks": 2, "pages": 0, "failed": 1, "stage": "convert"}
    more = {"at_work": ["/nowhere/b.md"], "ended": [["/nowhere/a.md", "failed"]]}
    JobRecord(job_id).update(state="running", progress={**progress, **more})
    page = open_page("ingestion", view="jobs", job=job_id)
    assert "convert" in texts(page)
    shown = [(name, state) for name, state in tables(page)[0]]
    assert shown == [("b.md", "At work · convert"), ("a.md", "Failed")]


def test_a_sync_asks_before_documents_go(hub, open_page, folder):
    (folder / "owls.md").unlink()
    page = open_page("ingestion", view="folder", collection=COLLECTION)
    page.text_input(key="folder").set_value(str(folder))
    page.toggle(key="sync").set_value(True).run()
    click(page, "look at folder now")
    until(lambda: page.run() and bool(page.dataframe))
    shown = page.dataframe[0].value
    assert [name.rpartition("/")[2] for name in shown["File"][shown["What happens"] == "deleted"]] == ["owls.md"]
    assert "sync now" not in keys(page)
    page.checkbox[0].set_value(True).run()
    click(page, "sync now")
    job = jobs()[0]
    assert job["kind"] == "sync"
    assert job["agreed"] == [sources()["owls.md"]["doc_id"]]
    assert done(job["job_id"])["result"]["removed"] == 1
    assert "owls.md" not in sources()
    assert "larks.md" in sources()


def test_a_sync_names_subfolders_that_would_lose_all_and_can_be_agreed_to(hub, open_page, folder):
    (folder / "share").mkdir()
    for name in ("cranes.md", "share/storks.md"):
        (folder / name).write_text(f"# {name}\n\nOf {name}.\n", encoding="utf-8")
    done(ask_for_ingest(new_job_id(), [str(folder)], COLLECTION, "ingest", {})["job_id"])
    (folder / "share" / "storks.md").unlink()
    kept = done(ask_for_sync(str(folder), COLLECTION, None)["job_id"])
    assert (kept["result"]["removed"], kept["result"]["gone_and_kept"]) == (0, 1)
    page = open_page("ingestion", view="jobs", job=kept["job_id"])
    assert "all of a subfolder" in page.warning[0].value
    assert str(folder / "share") in texts(page)
    page = open_page("ingestion", view="folder", collection=COLLECTION)
    page.text_input(key="folder").set_value(str(folder))
    page.toggle(key="sync").set_value(True).run()
    click(page, "look at folder now")
    until(lambda: page.run() and bool(page.checkbox))
    assert "share" in page.warning[0].value
    page.checkbox[0].set_value(True).run()
    click(page, "sync now")
    assert done(jobs()[0]["job_id"])["result"]["removed"] == 1


def test_a_folder_from_the_browser_comes_without_what_programs_leave_in_it(hub, open_page):
    page = open_page("ingestion", collection=COLLECTION)
    page.toggle(key="whole folder").set_value(True).run()
    upload(page, ("birds/storks.md", *STORKS[1:]), ("birds/~$storks.md", *STORKS[1:]))
    click(page, "ingest files")
    assert jobs()[0]["paths"] == [str(uploads_of(COLLECTION) / "birds" / "storks.md")]


def test_a_sync_deletes_no_more_than_was_agreed_to(hub, open_page, folder):
    (folder / "owls.md").unlink()
    page = open_page("ingestion", view="folder", collection=COLLECTION)
    page.text_input(key="folder").set_value(str(folder))
    page.toggle(key="sync").set_value(True).run()
    click(page, "look at folder now")
    until(lambda: page.run() and bool(page.checkbox))
    page.checkbox[0].set_value(True).run()
    click(page, "sync now")
    (folder / "larks.md").unlink()  # after that
    result = done(jobs()[0]["job_id"])["result"]
    assert (result["removed"], result["gone_and_kept"]) == (1, 1)
    assert "larks.md" in sources()


def test_a_folder_is_looked_at_and_ingested(hub, open_page, folder):
    page = open_page("ingestion", view="folder", collection=COLLECTION)
    page.text_input(key="folder").set_value(str(folder)).run()
    click(page, "look at folder now")
    until(lambda: page.run() and bool(page.dataframe))
    assert set(page.dataframe[0].value["What happens"]) == {"unchanged"}
    click(page, "ingest folder")
    assert jobs()[0]["paths"] == [str(folder)]


def test_a_folder_has_to_be_named(hub, open_page, as_visitor):
    page = open_page("ingestion", view="folder", collection=COLLECTION)
    for button in ("look at folder now", "ingest folder"):
        click(page, button)
        assert page.warning
    assert not page.dataframe
    assert not jobs()


def test_a_visitor_with_a_token_ingests_from_the_roots_alone(hub, open_page, as_visitor, folder, monkeypatch, tmp_path):
    as_visitor(Access.WRITE, GUEST)
    assert "KHUB_INGEST_ROOTS" in texts(open_page("ingestion", view="folder", collection=COLLECTION))
    monkeypatch.setenv("KHUB_INGEST_ROOTS", str(folder))
    page = open_page("ingestion", view="folder", collection=COLLECTION)
    page.text_input(key="folder").set_value(str(tmp_path)).run()
    click(page, "ingest folder")
    assert page.error
    assert len(jobs()) == 1  # the fixture's
    link = folder / "out"
    link.symlink_to(tmp_path)
    page.text_input(key="folder").set_value(str(link)).run()
    click(page, "ingest folder")
    assert page.error
    page.text_input(key="folder").set_value(str(folder)).run()
    click(page, "ingest folder")
    assert jobs()[0]["caller"] == GUEST.name


def test_a_collection_is_indexed_anew_and_deleted_by_its_name(hub, open_page):
    page = open_page("ingestion", view="collections")
    click(page, "reindex")
    assert (jobs()[0]["kind"], jobs()[0]["graph"]) == ("reindex", None)
    page = open_page("ingestion", view="collections")
    assert page.button(key="delete collection").disabled
    page.text_input(key=f"delete {COLLECTION}").set_value("another").run()
    assert page.button(key="delete collection").disabled
    page.text_input(key=f"delete {COLLECTION}").set_value(COLLECTION).run()
    record = JobRecord(jobs()[0]["job_id"])
    record.update(state="running")
    with record.held():  # as its process does
        click(page, "delete collection")
    assert page.error  # a job is at work in it
    record.update(state="finished")
    click(page, "delete collection")
    assert not open_catalog().collections.exists(COLLECTION)
    of = f"/collections/{COLLECTION}"
    assert audited() == [("POST", f"{of}/reindex", 200), ("DELETE", of, 409), ("DELETE", of, 200)]


@pytest.mark.parametrize("view", ["upload", "folder", "jobs", "collections"])
def test_who_may_only_read_sees_nothing_that_writes(hub, open_page, as_visitor, view):
    as_visitor(*READER)
    page = open_page("ingestion", view=view)
    assert not page.file_uploader
    assert not keys(page)


def test_who_may_only_read_cannot_act_on_a_job(hub, open_page, as_visitor):
    with calling_as(READER[1]):
        job_id = ask_for_reindex(COLLECTION, None)["job_id"]
    as_visitor(*READER)
    assert not keys(open_page("ingestion", view="jobs", job=job_id))


def test_jobs_of_others_are_not_shown(hub, open_alone, as_visitor):
    others = ask_for_reindex(COLLECTION, None)["job_id"]
    with calling_as(GUEST):
        own = ask_for_ingest(new_job_id(), ["/nowhere"], COLLECTION, "ingest", {})["job_id"]
    as_visitor(Access.WRITE, GUEST)
    listed = str(tables(open_alone("ingestion", view="jobs")))
    assert "Ingest ·" in listed
    assert "Reindex" not in listed
    assert open_alone("ingestion", view="jobs", job=others).error
    assert not open_alone("ingestion", view="jobs", job=own).error


def test_a_visitor_of_one_collection_writes_into_no_other(hub, open_page, as_visitor, monkeypatch):
    as_visitor(Access.WRITE, GUEST)
    page = upload(open_page("ingestion", collection="other"), STORKS)
    assert page.selectbox(key="collection of files").options == [COLLECTION]
    target = "khub.dashboard.parts.ingestion.ingest_target.choose_collection"
    monkeypatch.setattr(target, lambda: "other")  # as if it were offered
    page.run()
    for key in ("look at files", "ingest files"):
        click(page, key)
        assert "other" in page.error[0].value
    assert not jobs()


def test_levels_bind_what_is_sent(hub, open_page, as_visitor):
    bound = Caller("clerk.3", levels=("internal",))
    as_visitor(Access.WRITE, bound)
    page = upload(open_page("ingestion", collection=COLLECTION), STORKS)
    assert not page.toggle or "sync" not in {one.key for one in page.toggle}
    page.multiselect(key="levels of files").set_value([]).run()
    click(page, "ingest files")
    assert page.error
    page.multiselect(key="levels of files").set_value(["internal"]).run()
    click(page, "ingest files")
    assert jobs()[0]["meta"] == {"access_level": "internal"}


def test_nobody_replaces_or_deletes_what_is_closed(hub, open_page, as_visitor, folder):
    click(
        upload(open_page("ingestion", collection=COLLECTION), STORKS), "ingest files"
    )  # it has no level: closed to who is bound to some
    done(jobs()[0]["job_id"])
    done(ask_for_ingest(new_job_id(), [str(folder)], COLLECTION, "ingest", {"access_level": "internal"})["job_id"])
    before = len(jobs())
    as_visitor(Access.WRITE, Caller("clerk.3", levels=("internal",)))
    page = upload(open_page("ingestion", collection=COLLECTION), STORKS)
    for key in ("look at files", "ingest files"):
        click(page, key)
        assert "closed" in page.error[0].value
    assert len(jobs()) == before
    assert len(tables(open_page("documents", collection=COLLECTION))[0]) == 2
    page = open_page("ingestion", view="collections", collection=COLLECTION)
    page.text_input(key=f"delete {COLLECTION}").set_value(COLLECTION).run()
    click(page, "delete collection")
    assert page.error
    assert open_catalog().collections.exists(COLLECTION)


@pytest.mark.parametrize("view", ["upload", "folder", "jobs", "collections"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_empty_hub_has_every_view(open_page, view, language):
    page = open_page("ingestion", language, view=view)
    assert not page.error
    assert not page.dataframe


def test_an_interrupted_job_has_ended(hub, open_page):
    job_id = ask_for_ingest(new_job_id(), ["/nowhere"], COLLECTION, "ingest", {})["job_id"]
    JobRecord(job_id).update(state="interrupted")
    assert "interrupted" in str(tables(open_page("ingestion", view="jobs", state="ended")))


def test_jobs_are_paged(hub, open_alone):
    for _ in range(51):
        ask_for_ingest(new_job_id(), ["/nowhere"], COLLECTION, "ingest", {})
    page = open_alone("ingestion", view="jobs")
    assert len(tables(page)[0]) == 50
    page.pagination[0].set_value(2).run()
    assert len(tables(page)[0]) == 1


@pytest.mark.integration
def test_who_comes_from_another_page_begins_with_the_first_view(hub, open_page):
    page = open_page("overview")
    assert page.button_group(key="view").value == "collections"
    page.switch_page("pages/ingestion.py").run()
    assert not page.exception
    assert page.button_group(key="view").value == "upload"
