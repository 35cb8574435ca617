"""The overview: what the hub holds, what is wrong with it, what waits, and for whom that is shown."""

import contextlib
import io
import shutil

import pytest

from khub.components.catalog.access import Caller
from khub.components.catalog.catalog import open_catalog
from khub.components.catalog.scanned_pages import NEEDS_OCR
from khub.server.access_right import Access
from khub.server.jobs.job_record import JobRecord, now
from khub.server.library import examination_process
from khub.server.library.examination import Examination
from khub.server.reads.hub_reads import reader
from khub.server.traces.log import write_trace
from tests.conftest import ROOT
from tests.dashboard.conftest import COLLECTION, tables, texts, use_table


@pytest.fixture
def looking_as(monkeypatch):
    """Return a function that lets somebody look at the pages."""

    def look(access, **rights):
        for place in ("khub.dashboard.page", "khub.dashboard.visitor"):
            monkeypatch.setattr(f"{place}.visitor", lambda: (access, Caller("somebody", **rights)))

    return look


@pytest.fixture
def examined_here(monkeypatch):
    """Let the doctor work in this process: another one takes seconds to start."""

    class ExaminedHere(Examination):
        def __init__(self, repair=False):
            self.repair = repair
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                examination_process.main(repair)
            self._said = said.getvalue().encode(), b""

    monkeypatch.setattr("khub.dashboard.parts.overview.health.Examination", ExaminedHere)


def _links(page):
    return [(link.proto.page, link.proto.query_string) for link in page.page_link]


def _charts(page):
    return [element.value for element in page.markdown if "flowchart TD" in element.value]


def _examined(page, button=0):
    page.button[button].click().run()
    assert not page.exception, page.exception
    return page


@pytest.mark.integration
def test_a_collection_is_shown_with_its_model(hub, open_page):
    page = open_page("overview")
    [[name, documents, passages, pages, *_]] = tables(page)[0]
    about = reader().overview(COLLECTION)
    assert name.startswith(COLLECTION)
    assert (documents, passages) == (str(about["documents"]), str(about["chunks"]))
    assert pages == str(sum(row["pages"] or 0 for row in reader().documents(COLLECTION, 0, 10)))
    binding = open_catalog().collections.binding(COLLECTION)["embedder"]
    assert any(binding["fingerprint"][:16] in cell for cell in tables(page)[0][0])
    use_table(page, "collections", open=f"documents?collection={COLLECTION}")
    assert page.query_params["collection"] == COLLECTION


@pytest.mark.integration
def test_a_graph_is_drawn(hub, open_page):
    page = open_page("overview", view="graphs", graph="query")
    (chart,) = _charts(page)
    assert "IntentRouter" in chart
    assert "<b>" not in chart


@pytest.mark.integration
def test_a_broken_graph_is_told_with_its_line(hub, open_page, monkeypatch, tmp_path):
    folder = tmp_path / "graphs"
    shutil.copytree(ROOT / "pipelines", folder)
    text = (folder / "query.yaml").read_text(encoding="utf-8")
    (folder / "query.yaml").write_text(text.replace("intent_router.IntentRouter", "intent_router.Wrong"), "utf-8")
    monkeypatch.setenv("KHUB_PIPELINES", str(folder))
    page = open_page("overview", view="graphs", graph="query")
    assert not _charts(page)
    assert "Wrong" in page.error[0].value
    assert any(element.value.startswith("- Line ") for element in page.markdown)


@pytest.mark.integration
def test_the_doctor_finds_a_whole_hub_healthy(hub, open_page, examined_here):
    page = _examined(open_page("overview", view="health"))
    assert "healthy" in page.success[0].value


@pytest.mark.integration
def test_a_damaged_index_is_told_and_can_be_rebuilt(hub, open_page, examined_here):
    shutil.rmtree(next((hub / "sparse").iterdir()))
    page = _examined(open_page("overview", view="health"))
    assert not page.success
    assert COLLECTION in page.error[0].value
    page = _examined(page, button=1)
    assert "healthy" in page.success[0].value


@pytest.mark.integration
def test_damage_that_the_catalog_knows_of_is_told_at_once(hub, open_page):
    open_catalog().index_states.mark_damaged(COLLECTION, "sparse")
    assert "Damaged" in open_page("overview").error[0].value


@pytest.mark.integration
def test_what_waits_is_shown_with_where_to_act(hub, open_page):
    documents = open_catalog().documents
    documents.record_failure(COLLECTION, "/files/locked.pdf", "it is locked", "open it without password")
    documents.record_failure(COLLECTION, "/files/scan.pdf", "it is scanned", NEEDS_OCR)
    JobRecord("0" * 32).add(kind="ingest", state="queued", collection=COLLECTION, graph="ingest", started_at=now())
    page = open_page("overview")
    assert "open it without password" in texts(page)
    assert {("documents", f"collection={COLLECTION}&status={need}") for need in ("again", "ocr")} <= set(_links(page))
    assert "1 job " in page.info[0].value
    assert any("and 2 not read" in cell for rows in tables(page) for row in rows for cell in row)


@pytest.mark.integration
def test_failed_runs_are_shown_with_their_trace(hub, open_page):
    write_trace({"trace_id": "ab" * 16, "time": now(), "kind": "query", "graph": "query", "error": "it broke"})
    page = open_page("overview", view="errors")
    assert "it broke" in texts(page)
    write_trace({"trace_id": "cd" * 16, "time": now(), "kind": "ingest", "graph": "ingest", "failed_files": 3})
    assert "Files that failed: 3" in texts(open_page("overview", view="errors"))
    assert ("query_runs", f"trace={'ab' * 16}") in _links(page)


@pytest.mark.integration
def test_a_visitor_sees_its_jobs_behind_those_of_others(hub, open_page, looking_as):
    for number in range(201):
        about = {"collection": COLLECTION, "graph": "ingest", "state": "failed", "kind": "ingest", "started_at": now()}
        JobRecord(f"{number:032}").add(**about, caller="other" if number else "somebody", error=f"error {number}")
    looking_as(Access.READ, collections=frozenset({COLLECTION}))
    page = open_page("overview", view="errors")
    ((row,),) = tables(page)
    assert "error 0" in row[0]
    assert any(f"job={0:032}" in element.proto.json for element in page.get("bidi_component"))


@pytest.mark.integration
def test_facts_of_the_whole_hub_are_not_for_everybody(hub, open_page, looking_as):
    (hub / "logs").mkdir(exist_ok=True)
    (hub / "logs" / "app.jsonl").write_text('{"level": "ERROR", "message": "about somebody else"}\n', "utf-8")
    write_trace({"trace_id": "ab" * 16, "time": now(), "kind": "query", "graph": "query", "error": "it broke"})
    assert "about somebody else" in texts(open_page("overview", view="errors"))
    looking_as(Access.READ, collections=frozenset({COLLECTION}))
    page = open_page("overview", view="errors")
    assert "about somebody else" not in texts(page)
    assert "it broke" not in texts(page)
    assert not open_page("overview", view="health").button
    page = open_page("overview")
    assert not page.expander
    assert "Indexes" not in [metric.label for metric in page.metric]


@pytest.mark.integration
def test_who_may_only_read_may_not_rebuild(hub, open_page, looking_as, examined_here):
    looking_as(Access.READ)
    shutil.rmtree(next((hub / "sparse").iterdir()))
    page = _examined(open_page("overview", view="health"))
    assert page.error
    assert [button.label for button in page.button] == ["Examine"]


@pytest.mark.integration
def test_a_closed_collection_is_not_named(hub, open_page, looking_as):
    open_catalog().documents.record_failure(COLLECTION, "/files/locked.pdf", "it is locked", "open it")
    for rights in ({"collections": frozenset({"other"})}, {"levels": ("public",)}):
        looking_as(Access.WRITE, **rights)
        page = open_page("overview")
        assert COLLECTION not in texts(page) + "".join(expander.label for expander in page.expander)
        assert not page.metric
