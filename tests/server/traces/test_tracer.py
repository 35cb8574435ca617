import asyncio
import contextlib
import contextvars
import json
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from haystack import Document, Pipeline, tracing
from haystack.tracing import Span, Tracer

from khub.components.errors import QueryError
from khub.server.graphs.load import load_graph
from khub.server.graphs.run import run_graph, run_graph_async
from khub.server.traces import tracer, warn_once
from khub.server.traces.index import find_trace, read_traces

pytestmark = pytest.mark.unit

WRAPPED = """\
metadata: {kind: query}
components:
  dense: {type: graph_parts.Wrap, init_parameters: {component: {type: graph_parts.Find, init_parameters: {mode: b}}}}
inputs: {query: dense.query}
outputs: {documents: dense.documents}
"""


@pytest.fixture(autouse=True)
def _fresh_tracer():
    before = tracing.tracer.actual_tracer
    tracing.disable_tracing()
    warn_once._warned.clear()
    yield
    tracing.enable_tracing(before)


def run(write_graph, monkeypatch, level: str | None = None, query: str = "what is it", text: str | None = None):
    write_graph("query", *([text] if text else []))
    if level:
        monkeypatch.setenv("KHUB_TRACE", level)
    return run_graph(load_graph("query"), {"query": query})


def test_trace_of_a_query(write_graph, monkeypatch):
    result = run(write_graph, monkeypatch)
    trace = find_trace(result.trace_id[:8])
    assert (trace["kind"], trace["query"], trace["graph"]) == ("query", "what is it", "query")
    assert (trace["collection"], trace["error"], trace["degraded"]) == ("found", None, [])
    assert trace["time"].endswith("+00:00")
    assert trace["totals"]["ms"] >= sum(s["ms"] for s in trace["stages"])
    find, answer = trace["stages"]
    assert (find["name"], find["type"], find["method"]) == ("find", "graph_parts.Find", "Find")
    assert find["input"] == {"query": "what is it", "collection": "default"}
    assert find["output"] == {
        "documents": {
            "count": 2,
            "documents": [{"id": "default-0", "rank": 1, "score": 1.0}, {"id": "default-1", "rank": 2, "score": 0.5}],
        },
        "degraded": [],
    }
    assert answer["input"]["documents"] == {"count": 2}
    assert answer["output"]["answer"]["answer"] == {"chars": 7}
    assert find["start_ms"] + find["ms"] <= answer["start_ms"]


def test_degraded_stage_is_noted_once():
    item = {"stage": "dense", "reason": "hung"}
    with tracer.trace_request("g", "query", {}) as request:
        request.note_output({"degraded": [item]})
        request.note_output({"answer": {"degraded": [dict(item)]}})
    assert request.degraded == [item]


def test_each_file_of_an_ingest_that_failed_is_counted_once():
    failed = [{"source": "/a.pdf"}, {"source": "/b.pdf"}]
    with tracer.trace_request("g", "ingest", {"sources": ["/a.pdf", "/b.pdf", "/c.pdf"]}) as request:
        request.note_output({"failed": failed[:1]})
        request.note_output({"report": {"failed": failed}})
    assert request.record()["failed_files"] == 2
    with tracer.trace_request("g", "query", {}) as request:
        request.note_output({"failed": failed})
    assert "failed_files" not in request.record()


def test_what_a_component_says_of_itself_stands_in_details(write_graph, monkeypatch):
    run(write_graph, monkeypatch)
    details = read_traces(1)[0]["stages"][0]["details"]
    assert details["cache"] == "miss"
    (span,) = details["spans"]
    assert (span["name"], span["details"]) == ("look_up", {"index": "x", "visited": 7})


def test_minimal_has_no_text(write_graph, monkeypatch):
    result = run(write_graph, monkeypatch, "minimal", query="secret words")
    trace = find_trace(result.trace_id)
    assert trace["query"] == {"chars": 12}
    assert trace["stages"][0]["output"]["documents"] == {"count": 2}
    assert "secret" not in json.dumps(trace)


def test_verbose_has_texts(write_graph, monkeypatch):
    result = run(write_graph, monkeypatch, "verbose", query="x" * 600)
    output = find_trace(result.trace_id)["stages"][0]["output"]["documents"]["documents"][0]
    assert output == {"id": "default-0", "rank": 1, "score": 1.0, "text": "x" * 500}


def test_secrets_of_the_process_do_not_stand_in_a_trace(write_graph, monkeypatch):
    monkeypatch.setenv("SOME_PASSWORD", 'with "quotes" 123')
    query = 'why is with "quotes" 123 refused by https://me:hidden@host/x?token=t0ken'
    trace = find_trace(run(write_graph, monkeypatch, "verbose", query=query).trace_id)
    assert trace["query"] == "why is *** refused by https://host/x"
    assert trace["stages"][0]["input"]["query"] == trace["query"]
    assert trace["stages"][0]["output"]["documents"]["documents"][0]["score"] == 1.0


@pytest.mark.parametrize("level", ["minimal", "standard", "verbose"])
def test_masked_there_is_no_text_and_ids_and_scores_stay(write_graph, monkeypatch, level):
    monkeypatch.setenv("KHUB_TRACE_MASK", "1")
    trace = find_trace(run(write_graph, monkeypatch, level, query="secret words").trace_id)
    assert trace["query"] == {"chars": 12}
    assert "secret" not in json.dumps(trace)
    if level != "minimal":
        documents = trace["stages"][0]["output"]["documents"]["documents"]
        assert documents[0] == {"id": "default-0", "rank": 1, "score": 1.0}
        assert trace["stages"][0]["input"]["collection"] == "default"


def test_masked_an_error_is_its_class(write_graph, monkeypatch, query_text):
    monkeypatch.setenv("KHUB_TRACE_MASK", "1")
    text = query_text.replace("graph_parts.Find\n    init_parameters:\n      top_k: 2", "graph_parts.Fail")
    text = text.replace("  collection: find.collection\n  limit: find.limit\n", "")
    with pytest.raises(QueryError):
        run(write_graph, monkeypatch, query="q", text=text)
    assert read_traces(1)[0]["error"] == "QueryError"


def test_off_writes_nothing_and_still_times(write_graph, monkeypatch):
    result = run(write_graph, monkeypatch, "off")
    assert read_traces(5) == []
    assert result.timings_ms["find"] > 0


def test_unknown_level_warns_once(write_graph, monkeypatch, caplog):
    for _ in range(3):
        run(write_graph, monkeypatch, "loud")
    assert "query" in read_traces(1)[0]
    warnings = [r.message for r in caplog.records if r.levelno == logging.WARNING]
    (warning,) = warnings
    assert (warning.startswith("KHUB_TRACE is 'loud': "), "'standard' is used" in warning) == (True, True)


def test_method_is_the_wrapped_class(write_graph, monkeypatch):
    run(write_graph, monkeypatch, text=WRAPPED)
    trace = read_traces(1)[0]
    assert (trace["stages"][0]["type"], trace["stages"][0]["method"]) == ("graph_parts.Wrap", "Find")


def test_degraded_stages_are_gathered(write_graph, monkeypatch, query_text):
    text = query_text.replace("top_k: 2", "mode: b")
    run(write_graph, monkeypatch, text=text)
    assert read_traces(1)[0]["degraded"] == [{"stage": "find", "reason": "half of it is missing"}]
    run(write_graph, monkeypatch, "minimal", text=text)
    assert read_traces(1)[0]["degraded"] == [{"stage": "find"}]


@pytest.mark.parametrize(
    ("level", "error"), [("standard", "question 'q' is empty: ask something"), ("minimal", "QueryError")]
)
def test_failed_request_is_traced(write_graph, monkeypatch, query_text, level, error):
    text = query_text.replace("graph_parts.Find\n    init_parameters:\n      top_k: 2", "graph_parts.Fail")
    text = text.replace("  collection: find.collection\n  limit: find.limit\n", "")
    with pytest.raises(QueryError):
        run(write_graph, monkeypatch, level, query="q", text=text)
    trace = read_traces(1)[0]
    assert trace["error"] == error
    assert [s["name"] for s in trace["stages"]] == ["find"]
    assert trace["stages"][0]["error"]


def test_ingest_names_its_sources(write_graph, monkeypatch):
    with tracer.trace_request("ingest", "ingest", {"sources": [{"path": "/a.md"}, "/b.md"], "collection": "c"}):
        pass
    trace = read_traces(1, kind="ingest")[0]
    assert (trace["sources"], trace["source_count"], trace["collection"]) == (["/a.md", "/b.md"], 2, "c")
    assert read_traces(1, kind="query") == []
    monkeypatch.setenv("KHUB_TRACE", "minimal")
    with tracer.trace_request("ingest", "ingest", {"sources": ["/a.md"]}):
        pass
    assert "sources" not in read_traces(1)[0]


def test_requests_at_once_keep_apart(write_graph, monkeypatch):
    write_graph("query")
    graph = load_graph("query")

    async def some(first: int):
        return await asyncio.gather(*[run_graph_async(graph, {"query": f"q{first + i}"}) for i in range(5)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda i: run_graph(graph, {"query": f"q{i}"}), range(20)))
    asyncio.run(some(20))
    traces = read_traces(100)
    assert {t["query"] for t in traces} == {f"q{i}" for i in range(25)}
    for trace in traces:
        assert [s["name"] for s in trace["stages"]] == ["find", "answer"]
        assert {s["input"]["query"] for s in trace["stages"]} == {trace["query"]}
        assert len(trace["stages"][0]["details"]["spans"]) == 1


@pytest.mark.parametrize("how", ["run", "run_async"])
def test_pipeline_run_without_the_server_is_a_request_of_its_own(write_graph, how):
    write_graph("query")
    pipeline: Pipeline = load_graph("query").pipeline
    tracer.install()
    data = {"find": {"query": "plain"}}
    if how == "run":
        pipeline.run(data)
    else:
        asyncio.run(pipeline.run_async(data))
    trace = read_traces(1)[0]
    assert (trace["query"], trace["kind"], [s["name"] for s in trace["stages"]]) == (
        "plain",
        "query",
        ["find", "answer"],
    )
    assert tracer.current_trace_id() is None


def test_install_twice_is_install_once():
    tracer.install()
    installed = tracing.tracer.actual_tracer
    tracer.install()
    assert tracing.tracer.actual_tracer is installed


class OtherSpan(Span):
    def __init__(self, name):
        self.name, self.tags = name, {}

    def set_tag(self, key, value):
        self.tags[key] = value


class OtherTracer(Tracer):
    def __init__(self, around=None):
        self.around, self.spans = around, []

    @contextlib.contextmanager
    def trace(self, operation_name, tags=None, parent_span=None):
        self.spans.append((operation_name, getattr(parent_span, "name", None)))
        if self.around:
            with self.around.trace(operation_name, tags, parent_span) as span:
                yield span
        else:
            yield OtherSpan(operation_name)

    def current_span(self):
        return self.around.current_span() if self.around else None


def test_tracer_that_was_there_before_goes_on(write_graph, monkeypatch):
    other = OtherTracer()
    tracing.enable_tracing(other)
    run(write_graph, monkeypatch)
    assert other.spans[:2] == [
        ("haystack.pipeline.run", None),
        ("haystack.component.run", "haystack.pipeline.run"),
    ]
    assert len(read_traces(5)) == 1


def test_tracer_put_around_later_is_left(write_graph, monkeypatch):
    tracer.install()
    around = OtherTracer(tracing.tracer.actual_tracer)
    tracing.enable_tracing(around)
    run(write_graph, monkeypatch)
    assert tracing.tracer.actual_tracer is around
    assert [len(t["stages"]) for t in read_traces(5)] == [2]


def test_hayhooks_app_leaves_the_tracer(write_graph, monkeypatch, tmp_path):
    monkeypatch.setenv("HAYHOOKS_PIPELINES_DIR", str(tmp_path / "none"))
    tracer.install()
    from hayhooks import create_app

    create_app()
    run(write_graph, monkeypatch)
    assert [len(t["stages"]) for t in read_traces(5)] == [2]


def test_error_in_tracing_is_one_warning(write_graph, monkeypatch, caplog):
    def summarize(values, level):
        raise ValueError("odd")

    monkeypatch.setattr("khub.server.traces.record.summarize_output", summarize)
    for _ in range(2):
        assert run(write_graph, monkeypatch).outputs["answer"]["answer"] == "found 2"
    assert [r.message.endswith(": ValueError: odd") for r in caplog.records] == [True]


def test_folder_that_cannot_be_written_is_one_warning(write_graph, monkeypatch, tmp_path, caplog):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "file"))
    for _ in range(2):
        assert run(write_graph, monkeypatch).outputs["answer"]
    assert len(caplog.records) == 1
    assert "traces cannot be written" in caplog.text


def test_part_that_hangs_is_marked_and_the_request_does_not_wait():
    tracer.install()
    entered, release = threading.Event(), threading.Event()

    def hang():
        with tracing.tracer.trace("slow"):
            entered.set()
            release.wait(20)

    with (
        tracer.trace_request("g", "query", {}),
        tracing.tracer.trace("haystack.component.run", tags={"haystack.component.name": "x"}),
    ):
        thread = threading.Thread(target=contextvars.copy_context().run, args=(hang,))
        thread.start()
        assert entered.wait(10)
    release.set()
    thread.join(10)
    (stage,) = read_traces(1)[0]["stages"]
    assert "unfinished" not in stage
    assert stage["details"]["spans"][0]["unfinished"] is True


def test_pipeline_inside_a_component_is_named_below_it():
    tracer.install()
    with tracer.trace_request("g", "query", {}) as request:
        tags = {"haystack.component.name": "outer"}
        with (
            tracing.tracer.trace("haystack.component.run", tags=tags) as outer,
            tracing.tracer.trace("haystack.pipeline.run", parent_span=outer) as inner,
            tracing.tracer.trace("haystack.component.run", {"haystack.component.name": "a"}, inner),
        ):
            pass
    assert [s.name for s in request.stages] == ["outer", "outer.a"]


def test_documents_are_not_kept(write_graph):
    document = Document(id="a", content="first", score=1.0)
    tracer.install()
    with (
        tracer.trace_request("g", "query", {}) as request,
        tracing.tracer.trace("haystack.component.run", tags={"haystack.component.name": "x"}) as span,
    ):
        span.set_content_tag("haystack.component.output", {"documents": [document]})
        document.__dict__["score"] = 9.0
    assert request.record()["stages"][0]["output"]["documents"]["documents"][0]["score"] == 1.0
