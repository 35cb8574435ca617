"""The page of query traces: its list, a run, its passages, where a document was lost, the question asked again."""

import json
import os
import shutil
from pathlib import Path
from urllib.parse import parse_qs

import pytest
import yaml

from khub.components.catalog.access import Caller
from khub.components.catalog.document_page import Wanted
from khub.components.trust import decide_folder
from khub.server.access_right import Access
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.reads.hub_reads import reader
from khub.server.traces.index import find_trace
from khub.server.traces.log import trace_path, write_trace
from tests.conftest import ROOT
from tests.dashboard.conftest import COLLECTION, tables, texts, use_table

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


def said_in_tables(page):
    return "\n".join(cell for rows in tables(page) for row in rows for cell in row)


def table(page, name):
    """Return the heads and the rows of a table."""
    data = (json.loads(element.proto.json) for element in page.get("bidi_component"))
    (found,) = [one for one in data if one["caption"] == name]
    return [column["title"] for column in found["columns"]], found["rows"]


def runs(page):
    """Return the rows of the list: of each what its link says, and the address that it leads to."""
    if not page.get("bidi_component"):
        return []
    found = (cell for row in table(page, "Runs")[1] for cell in row["cells"] if "href" in cell)
    return [(cell["text"], cell["href"]) for cell in found]


def links(page):
    return [element.proto for element in page.get("page_link")]


def click(page, label):
    (button,) = [button for button in page.button if button.label == label]
    button.click().run()
    assert not page.exception, page.exception


def test_the_list_leads_to_each_run(answer, open_page):
    page = open_page("query_runs")
    rows = runs(page)
    assert [text for text, _ in rows] == ["quantum chromodynamics lattice gauge", QUESTION]
    use_table(page, "runs", open=rows[1][1])
    assert page.query_params["trace"] == answer.trace_id
    assert table(page, "Stages of the run")


def test_the_list_is_filtered_and_the_filter_stands_in_the_address(answer, open_page):
    page = open_page("query_runs", words="HERONS")
    ((_, address),) = runs(page)
    assert "words=HERONS" in address
    page.text_input(key="words").set_value("nobody asked this").run()
    assert runs(page) == []
    assert page.query_params["words"] == "nobody asked this"


def test_the_list_is_filtered_by_what_runs_came_to(answer, open_page):
    assert len(runs(open_page("query_runs", trouble="abstained"))) == 1
    assert len(runs(open_page("query_runs", slower="600000"))) == 0
    assert len(runs(open_page("query_runs", graph="query", collection=COLLECTION))) == 2


def write_runs(*times, **about):
    for number, ms in enumerate(times):
        record = {"trace_id": f"{number:032x}", "kind": "query", "query": f"question {number}", "stages": []}
        write_trace({**record, "totals": {"ms": ms}, **about})


def test_fifty_runs_a_page(hub, open_page):
    write_runs(*range(60))
    assert len(runs(open_page("query_runs"))) == 50
    second = runs(open_page("query_runs", at="2"))
    assert [text for text, _ in second] == [f"question {number}" for number in range(9, -1, -1)]
    assert len(runs(open_page("query_runs", at="9"))) == 50


def test_the_way_back_leads_to_the_page_of_the_list_that_it_was(hub, open_page):
    write_runs(*range(60))
    page = open_page("query_runs")
    page.query_params["words"], page.query_params["at"] = "question", "2"  # as the browser's own way back does
    assert len(runs(page.run())) == 10
    page.text_input(key="words").set_value("").run()
    assert len(runs(page)) == 50


def test_the_heads_sort_on_the_server(hub, open_page):
    write_runs(*(number * 7 % 60 for number in range(60)))
    page = use_table(open_page("query_runs", at="2"), "runs", sort="-ms")
    assert page.query_params["sort"] == "-ms"
    times = [row["cells"][table(page, "Runs")[0].index("ms")]["text"] for row in table(page, "Runs")[1]]
    assert times == [str(number) for number in range(59, 9, -1)]
    assert runs(open_page("query_runs", sort="time"))[0][0] == "question 0"


def test_a_question_that_was_repeated_is_one_row_that_leads_to_its_runs(hub, open_page):
    write_runs(100, 300, 200, query="again", collection="c")
    write_runs(5, query="once")
    page = open_page("query_runs")
    assert "3" in texts(page)
    once, again = tables(page)[0]
    assert (once[0], again[0]) == ("once", "again ×3")
    assert {"200", "p95", "300"} <= set(again[-3].split())
    _, address = runs(page)[1]
    use_table(page, "runs", open=address)
    assert len(runs(page)) == 3
    use_table(page, "runs", open=runs(page)[0][1])
    assert page.query_params["trace"] == f"{2:032x}"


def test_who_asked_is_told_where_there_are_several(hub, open_page):
    write_runs(1, 2, caller="ann")
    assert "Started by" not in table(open_page("query_runs"), "Runs")[0]
    write_runs(3, caller="bo")
    page = open_page("query_runs")
    assert "Started by" in table(page, "Runs")[0]
    assert "bo" in tables(page)[0][0]


def test_what_an_evaluation_asked_is_shown_by_itself_or_labelled(hub, open_page):
    write_runs(1, caller="ann")
    assert "asked" not in {box.key for box in open_page("query_runs").selectbox}
    write_runs(3, 4, caller="evaluation")
    page = open_page("query_runs")
    assert len(runs(page)) == 1
    page.selectbox(key="asked").select("all").run()
    assert sum("evaluation" in row[0] for row in tables(page)[0]) == 2
    assert len(runs(open_page("query_runs", asked="evaluation"))) == 2


def test_figures_are_of_all_that_the_filters_leave(hub, open_page):
    write_runs(*range(1, 101))
    write_runs(4000, degraded=[{"stage": "dense"}], abstained=True)
    assert "p50 51 ms" in texts(open_page("query_runs"))
    assert "1 run · p50 4,000 ms · p95 4,000 ms · degraded 100.0%" in texts(open_page("query_runs", slower="100"))


def test_a_run_shows_its_stages_and_the_ranks_of_its_passages(answer, open_page):
    page = open_page("query_runs", trace=answer.trace_id[:8])
    assert not page.warning
    shown = said_in_tables(page)
    assert QUESTION in texts(page)
    for stage in find_trace(answer.trace_id)["stages"]:
        assert stage["name"] in shown
    assert "at the same time as" in shown
    assert "herons.md" in shown


def test_a_run_leads_to_its_answer(answer, open_page):
    page = run_page(open_page, answer)
    (address,) = [link.query_string for link in links(page) if link.page == "ask"]
    assert parse_qs(address) == {"q": [QUESTION], "collection": [COLLECTION]}


def test_a_stage_can_be_looked_into(answer, open_page):
    page = run_page(open_page, answer)
    (box,) = [box for box in page.selectbox if box.label == "Look into a stage"]
    box.select_index(list(box.options).index("dense")).run()
    assert any('"hits"' in code.value for code in page.code)


def test_a_passage_can_be_read(answer, open_page):
    page = run_page(open_page, answer)
    cited = answer.citations[0]
    use_table(page, f"candidates-{answer.trace_id}", selected=[cited.chunk_id])
    assert "Herons wade slowly" in texts(page)
    assert any(f"doc={cited.doc_id}" in row["cells"][0]["href"] for row in table(page, "Passages by stage")[1])


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
    assert "Turn" in str(table(page, "Stages of the run"))
    assert "turn.turned" in str(table(page, "Passages by stage"))
    assert "lost" in str(table(page, "Passages by stage"))


def test_where_a_document_was_lost(answer, open_page):
    page = run_page(open_page, answer)
    page.selectbox(key="lost").select(answer.citations[0].doc_id).run()
    assert "It was not lost" in texts(page)
    assert page.query_params["lost"] == answer.citations[0].doc_id


def test_an_address_leads_to_where_a_document_was_lost(answer, open_page, monkeypatch):
    cited = {one.doc_id for one in answer.citations}
    lost = next(row["doc_id"] for row in reader().page(Wanted(COLLECTION), None, 9)[1] if row["doc_id"] not in cited)
    page = run_page(open_page, answer, lost=lost)
    verdict = next(
        element.value for element in page.markdown if "lost at" in element.value or "No leg handed" in element.value
    )
    monkeypatch.setattr("khub.dashboard.parts.runs.lost_document.where_lost", None)
    page.run()  # what was found is kept: it may have taken to ask again
    assert verdict in texts(page)
    assert texts(run_page(open_page, answer, language="zh"))


def test_the_runs_of_a_question_to_all_collections_lead_to_each_other(hub, open_page, tmp_path):
    file = tmp_path / "storks.md"
    file.write_text("# Storks\n\nStorks nest on chimneys.\n", encoding="utf-8")
    ingest([str(file)], "birds")
    answer = ask(QUESTION)
    traces = {one.name: one.trace_id for one in answer.collections}
    (row,) = reader().documents("birds", 0, 2)
    page = open_page("query_runs", trace=traces[COLLECTION], lost=row["doc_id"])
    assert "searched demo alone" in texts(page)
    assert f"trace={traces['birds']}&lost={row['doc_id']}" in {link.query_string for link in links(page)}
    page = open_page("query_runs", trace=traces[COLLECTION], lost=answer.citations[0].doc_id)
    assert "the answer of all collections" in texts(page)
    assert all("all collections" in row[0] for row in tables(open_page("query_runs"))[0])


def test_an_address_with_a_document_that_is_not_there(answer, open_page):
    assert run_page(open_page, answer, lost="f" * 16).warning


def test_the_question_is_asked_again_beside_the_old_answer(answer, open_page):
    page = run_page(open_page, answer)
    click(page, "Ask again")
    then, now = (row["cells"][0] for row in table(page, "Both answers")[1])
    assert then["text"] == "query (then)"
    assert answer.trace_id in then["href"]
    assert answer.trace_id not in now["href"]


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
    assert "1,234" in said_in_tables(page)
    assert "0.25" in said_in_tables(page)
    assert {"which colour?", "blue"} <= {text.value for text in page.text}
    call["details"] = {
        **told,
        "prompt": [{"role": "user", "text": {"chars": 13}}],
        "answer": [{"role": "assistant", "text": {"chars": 4}}],
    }
    write_trace({**record, "trace_id": "b" * 32})
    assert "KHUB_TRACE=verbose" in texts(open_page("query_runs", trace="b" * 32))


def test_what_a_visitor_did_not_ask_is_not_there(answer, open_page, desk):
    assert runs(open_page("query_runs")) == []
    page = run_page(open_page, answer)
    assert page.warning
    assert tables(page) == []


def test_own_traces_tell_nothing_of_what_is_closed_by_now(answer, open_page, desk):
    write_trace({**find_trace(answer.trace_id), "trace_id": "d" * 32, "caller": "desk"})
    page = open_page("query_runs", trace="d" * 32)
    assert QUESTION in texts(page)
    assert "gone or closed" in said_in_tables(page)
    said = said_in_tables(page) + texts(page) + str([box.options for box in page.selectbox])
    assert "erons.md" not in said
    assert "Herons wade slowly" not in said
    assert not [box for box in page.selectbox if box.label == "Look into a stage"]


def test_a_text_that_looks_like_markup_does_nothing(hub, open_page):
    words = "<b>x</b> ![](http://127.0.0.1/p.png) <script>1</script>"
    stage = {"name": words, "method": words, "start_ms": 0, "ms": 3, "error": words}
    about = {"trace_id": "a" * 32, "kind": "query", "query": words, "graph": words, "error": words}
    write_trace({**about, "stages": [stage], "degraded": [{"stage": words, "reason": words}]})
    page = open_page("query_runs", trace="a" * 32)
    assert not page.get("html")[1:]  # the first one is the pages' style
    assert "](http" not in "".join(str(element.value) for element in [*page.error, *page.warning])
    assert runs(open_page("query_runs"))[0][0] == words


def test_an_unknown_trace_and_one_of_another_kind(answer, open_page):
    assert open_page("query_runs", trace="f" * 32).warning
    write_trace({"trace_id": "e" * 32, "kind": "ingest", "stages": [], "source_count": 1})
    page = open_page("query_runs", trace="e" * 32)
    assert any(link.page == "ingestion_runs" for link in links(page))


def test_a_torn_log_is_read_as_far_as_it_goes(answer, open_page):
    with trace_path().open("ab") as file:
        file.write(b'{"trace_id": "torn')
    assert len(runs(open_page("query_runs"))) == 2


@pytest.mark.parametrize("stages", [None, [], [{}], [{"name": "x", "output": {"documents": {"count": 3}}}]])
def test_a_record_that_tells_little_is_shown(hub, open_page, stages):
    write_trace({"trace_id": "a" * 32, "kind": "query", "query": {"chars": 7}, "stages": stages})
    page = open_page("query_runs", trace="a" * 32)
    assert "KHUB_TRACE" in texts(page)
    assert Path(os.environ["KHUB_HOME"]).exists()
