"""The page of ingestion traces."""

import pytest

from khub.components.catalog.access import Caller
from khub.server.access_right import Access
from khub.server.library.ingest import ingest
from khub.server.traces.index import find_trace, read_traces
from khub.server.traces.log import write_trace
from tests.dashboard.conftest import COLLECTION, tables, texts, use_table

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]


@pytest.fixture
def run(hub, tmp_path):
    """The record of an ingest of which a file failed."""
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "owls.md").write_text("# Owls\n\nOwls hunt at night.\n", encoding="utf-8")
    (folder / "broken.pdf").write_text("no PDF", encoding="utf-8")
    assert ingest([str(folder)], COLLECTION).failed
    return read_traces(1, "ingest")[0]


def said_in_tables(page):
    return "\n".join(cell for rows in tables(page) for row in rows for cell in row)


def test_the_list_shows_ingests_alone(run, open_page):
    write_trace({"trace_id": "a" * 32, "kind": "query", "query": "what", "stages": []})
    page = open_page("ingestion_runs")
    (rows,) = tables(page)
    assert "owls.md" in rows[0][0]
    assert rows[0][-1] == "1 failed"
    assert len(tables(open_page("ingestion_runs", trouble="failed"))[0]) == 1
    assert not any("what" in row[0] for row in rows)
    use_table(page, "runs", open=f"ingestion_runs?lang=en&trace={run['trace_id']}")
    assert page.query_params["trace"] == run["trace_id"]
    assert len(tables(open_page("ingestion_runs", words="owls"))[0]) == 1


def test_each_file_stands_with_its_result_and_remedy(run, open_page):
    page = open_page("ingestion_runs", trace=run["trace_id"][:10])
    shown = said_in_tables(page)
    assert "owls.md" in shown
    assert "failed at convert" in shown
    failed = next(s["output"]["failed"][0] for s in run["stages"] if s["output"].get("failed"))
    assert failed["remedy"] in shown
    for stage in run["stages"]:
        assert stage["name"] in shown
    written = run["stages"][-1]["output"]["report"]["written"][0]["doc_id"]
    assert any(f"doc={written}" in element.proto.json for element in page.get("bidi_component"))


def test_who_may_not_see_the_documents_sees_no_names_of_them(run, open_page, monkeypatch):
    monkeypatch.setattr("khub.dashboard.page.visitor", lambda: (Access.READ, Caller("desk", levels=("public",))))
    assert tables(open_page("ingestion_runs")) == []
    write_trace({**find_trace(run["trace_id"]), "trace_id": "d" * 32, "caller": "desk"})
    page = open_page("ingestion_runs", trace="d" * 32)
    (row,) = tables(open_page("ingestion_runs"))[0]
    assert "2 files" in row[0]
    assert "owls" not in said_in_tables(page) + texts(page)
    assert "convert" in said_in_tables(page)


@pytest.mark.parametrize("stages", [None, [], [{"name": "write", "output": {"report": {"count": 4}}}]])
def test_a_record_that_tells_little_is_shown(hub, open_page, stages):
    write_trace({"trace_id": "a" * 32, "kind": "ingest", "source_count": 3, "stages": stages, "error": "disk full"})
    page = open_page("ingestion_runs", trace="a" * 32, language="zh")
    assert "disk full" in page.error[0].value
    assert any("3" in info.value for info in page.info)
