"""The page of query traces: its list, a run, its passages, where a document was lost, the question asked again."""

import os
import shutil
from pathlib import Path

import pytest
import yaml

from khub.components.catalog.access import Caller
from khub.components.trust import decide_folder
from khub.server.http.tokens import Access
from khub.server.questions.ask import ask
from khub.server.traces.index import find_trace
from khub.server.traces.log import trace_path, write_trace
from tests.conftest import ROOT
from tests.dashboard.conftest import COLLECTION, texts

pytestmark = pytest.mark.integration
QUESTION = "How do herons wade?"


@pytest.fixture(scope="session")
def asked_hub(made_hub, tmp_path_factory):
    """The home of a hub of which something was asked, and the trace of that; no test changes it."""
    home = tmp_path_factory.mktemp("asked") / "hub"
    shutil.copytree(made_hub, home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(home))
        patch.setenv("KHUB_PIPELINES", str(ROOT / "pipelines"))
        answer = ask(QUESTION, COLLECTION)
        ask("quantum chromodynamics lattice gauge", COLLECTION)
    return home, answer


@pytest.fixture
def answer(asked_hub):
    """The answer to a question that was asked of the test's own hub."""
    home, answer = asked_hub
    shutil.copytree(home, os.environ["KHUB_HOME"])
    return answer


@pytest.fixture
def desk(monkeypatch):
    """A visitor who may read what is public."""
    who = Caller("desk", levels=("public",))
    monkeypatch.setattr("khub.dashboard.page.visitor", lambda: (Access.READ, who))
    return who


def run_page(open_page, answer, **more):
    return open_page("query_runs", trace=answer.trace_id, **more)


def tables(page):
    return "\n".join(element.proto.body for element in page.get("html") if "<table" in element.proto.body)


def table(page, name):
    (found,) = [element.proto.body for element in page.get("html") if f'aria-label="{name}"' in element.proto.body]
    return found


def links(page):
    return [element.proto for element in page.get("page_link")]


def click(page, label):
    (button,) = [button for button in page.button if button.label == label]
    button.click().run()
    assert not page.exception, page.exception


def test_the_list_leads_to_each_run(answer, open_page):
    page = open_page("query_runs")
    rows = [link for link in links(page) if answer.trace_id in link.query_string]
    assert len(links(page)) == 2
    assert "herons" in rows[0].label


def test_the_list_is_filtered_and_the_filter_stands_in_the_address(answer, open_page):
    page = open_page("query_runs", words="HERONS")
    assert len(links(page)) == 1
    assert "words=HERONS" in links(page)[0].query_string
    page.text_input(key="words").set_value("nobody asked this").run()
    assert links(page) == []
    assert page.query_params["words"] == "nobody asked this"


def test_the_list_is_filtered_by_what_runs_came_to(answer, open_page):
    assert len(links(open_page("query_runs", trouble="abstained"))) == 1
    assert len(links(open_page("query_runs", slower="600000"))) == 0
    assert len(links(open_page("query_runs", graph="query", collection=COLLECTION))) == 2


def test_fifty_runs_a_page(hub, open_page):
    for number in range(60):
        write_trace({"trace_id": f"{number:032x}", "kind": "query", "query": f"question {number}", "stages": []})
    assert len(links(open_page("query_runs"))) == 50
    second = links(open_page("query_runs", at="2"))
    assert [link.label for link in second] == [f"question {number}" for number in range(9, -1, -1)]
    assert len(links(open_page("query_runs", at="9"))) == 50


def test_a_run_shows_its_stages_and_the_ranks_of_its_passages(answer, open_page):
    page = open_page("query_runs", trace=answer.trace_id[:8])
    assert not page.warning
    shown = tables(page)
    assert QUESTION in texts(page)
    for stage in find_trace(answer.trace_id)["stages"]:
        assert stage["name"] in shown
    assert "at the same time as" in shown
    assert "herons.md" in shown
    assert "budget" not in links(page)[0].query_string


def test_a_stage_can_be_looked_into(answer, open_page):
    page = run_page(open_page, answer)
    (box,) = [box for box in page.selectbox if box.label == "Look into a stage"]
    box.select_index(list(box.options).index("dense")).run()
    assert any('"hits"' in code.value for code in page.code)


def test_a_passage_can_be_read(answer, open_page):
    page = run_page(open_page, answer)
    (box,) = [box for box in page.selectbox if box.label == "Read a passage"]
    box.select_index(0).run()
    assert "Herons wade slowly" in texts(page)
    doc_id = answer.citations[0].doc_id
    assert any(doc_id in link.query_string for link in links(page))


def test_a_component_that_nobody_knows_is_in_both_tables(hub, open_page, monkeypatch, tmp_path):
    pipelines = shutil.copytree(ROOT / "pipelines", tmp_path / "pipelines")
    changes = {
        "components": {"turn": {"type": "graph_parts.Turn"}},
        "connections": [
            {"sender": "rerank.documents", "receiver": "turn.documents"},
            {"sender": "turn.turned", "receiver": "select.documents"},
        ],
    }
    graph = yaml.safe_load((pipelines / "query.yaml").read_text(encoding="utf-8"))
    around = {"type": "khub.components.subgraph.Subgraph", "init_parameters": {"graph": "query", "changes": changes}}
    graph |= {"components": {"q": around}, "connections": [], "outputs": {"answer": "q.answer"}}
    graph["inputs"] = {name: f"q.{name}" for name in graph["inputs"]}
    (pipelines / "turned.yaml").write_text(yaml.safe_dump(graph), encoding="utf-8")
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "server"))
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "graph_parts")
    monkeypatch.setenv("KHUB_PIPELINES", str(pipelines))
    decide_folder(pipelines, True)
    page = run_page(open_page, ask(QUESTION, COLLECTION, "turned"))
    assert "Turn" in table(page, "Stages of the run")
    assert "turn.turned" in table(page, "Passages by stage")
    assert "lost" in table(page, "Passages by stage")


def test_where_a_document_was_lost(answer, open_page):
    page = run_page(open_page, answer)
    (box,) = [box for box in page.selectbox if box.label == "Document"]
    box.select_index([option.startswith("Herons") for option in box.options].index(True)).run()
    click(page, "Find where it was lost")
    assert "It was not lost" in texts(page)
    assert texts(run_page(open_page, answer, language="zh"))


def test_the_question_is_asked_again_beside_the_old_answer(answer, open_page):
    page = run_page(open_page, answer)
    click(page, "Ask again")
    new = [link for link in links(page) if link.label.startswith("Trace of")]
    assert len(new) == 1
    assert answer.trace_id not in new[0].query_string
    assert "query (then)" in tables(page)


def test_texts_of_model_calls_are_shown_where_they_are_kept(hub, open_page):
    usage = {"prompt_tokens": 1234, "completion_tokens": 5, "cost": 0.25}
    told = {
        "model": "m1",
        "usage": usage,
        "prompt": [{"role": "user", "text": "which colour?"}],
        "answer": [{"role": "assistant", "text": "blue"}],
    }
    call = {"name": "model_call", "start_ms": 1, "ms": 2, "details": told}
    stage = {"name": "generate", "method": "G", "start_ms": 0, "ms": 3, "details": {"spans": [call]}}
    record = {"trace_id": "a" * 32, "kind": "query", "query": "what", "stages": [stage]}
    write_trace(record)
    page = open_page("query_runs", trace="a" * 32)
    assert "1,234" in tables(page)
    assert "0.25" in tables(page)
    assert {"which colour?", "blue"} <= {text.value for text in page.text}
    call["details"] = {
        **told,
        "prompt": [{"role": "user", "text": {"chars": 13}}],
        "answer": [{"role": "assistant", "text": {"chars": 4}}],
    }
    write_trace({**record, "trace_id": "b" * 32})
    assert "KHUB_TRACE=verbose" in texts(open_page("query_runs", trace="b" * 32))


def test_what_a_visitor_did_not_ask_is_not_there(answer, open_page, desk):
    page = open_page("query_runs")
    assert links(page) == []
    page = run_page(open_page, answer)
    assert page.warning
    assert tables(page) == ""


def test_own_traces_tell_nothing_of_what_is_closed_by_now(answer, open_page, desk):
    write_trace({**find_trace(answer.trace_id), "trace_id": "d" * 32, "caller": "desk"})
    page = open_page("query_runs", trace="d" * 32)
    assert QUESTION in texts(page)
    assert "gone or closed" in tables(page)
    said = tables(page) + texts(page) + str([box.options for box in page.selectbox])
    assert "erons.md" not in said
    assert "Herons wade slowly" not in said
    assert not [box for box in page.selectbox if box.label == "Look into a stage"]


def test_a_text_that_looks_like_markup_does_nothing(hub, open_page):
    words = "<b>x</b> ![](http://127.0.0.1/p.png) <script>1</script>"
    stage = {"name": words, "method": words, "start_ms": 0, "ms": 3, "error": words}
    about = {"trace_id": "a" * 32, "kind": "query", "query": words, "graph": words, "error": words}
    write_trace({**about, "stages": [stage], "degraded": [{"stage": words, "reason": words}]})
    page = open_page("query_runs", trace="a" * 32)
    assert "<b>" not in tables(page)
    assert "<script>" not in tables(page)
    assert "](http" not in "".join(str(element.value) for element in [*page.error, *page.warning])
    assert "](http" not in links(open_page("query_runs"))[0].label


def test_an_unknown_trace_and_one_of_another_kind(answer, open_page):
    assert open_page("query_runs", trace="f" * 32).warning
    write_trace({"trace_id": "e" * 32, "kind": "ingest", "stages": [], "source_count": 1})
    page = open_page("query_runs", trace="e" * 32)
    assert any(link.page == "ingestion_runs" for link in links(page))


def test_a_torn_log_is_read_as_far_as_it_goes(answer, open_page):
    with trace_path().open("ab") as file:
        file.write(b'{"trace_id": "torn')
    assert len(links(open_page("query_runs"))) == 2


@pytest.mark.parametrize("stages", [None, [], [{}], [{"name": "x", "output": {"documents": {"count": 3}}}]])
def test_a_record_that_tells_little_is_shown(hub, open_page, stages):
    write_trace({"trace_id": "a" * 32, "kind": "query", "query": {"chars": 7}, "stages": stages})
    page = open_page("query_runs", trace="a" * 32)
    assert "KHUB_TRACE" in texts(page)
    assert Path(os.environ["KHUB_HOME"]).exists()
