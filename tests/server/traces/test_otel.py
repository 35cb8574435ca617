"""Spans reach a collector, with the client's as their parent, and without texts."""

import gzip
import http.server
import os
import subprocess
import sys
import threading
import time

import pytest
from haystack import tracing

from khub.components.errors import QueryError
from khub.components.extras import install_extra
from khub.server.graphs.load import load_graph
from khub.server.graphs.run import run_graph
from khub.server.traces import tracer, warn_once
from khub.server.traces.index import find_trace
from khub.server.traces.trace_context import coming_from, context_in

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
QUESTION = "where are the herons"


class Collector:
    """Decodes what is sent to it."""

    def __init__(self):
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        self.spans, self.services, self.bodies = [], set(), []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                body = gzip.decompress(body) if self.headers.get("content-encoding") == "gzip" else body
                sent = ExportTraceServiceRequest.FromString(body)
                collector.bodies.append((self.path, body))
                for resource in sent.resource_spans:
                    names = {one.key: one.value.string_value for one in resource.resource.attributes}
                    collector.services.add(names["service.name"])
                    collector.spans += [span for scope in resource.scope_spans for span in scope.spans]
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def named(self, name):
        end = time.monotonic() + 20
        while not (found := [span for span in self.spans if span.name == name]):
            assert time.monotonic() < end, f"no span {name!r} came"
            time.sleep(0.02)
        return found


@pytest.fixture
def collector(monkeypatch):
    pytest.importorskip("haystack_integrations.tracing.opentelemetry", reason="pip install -e '.[otel]'")
    collector = Collector()
    thread = threading.Thread(target=collector.server.serve_forever)
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
    yield collector
    collector.server.shutdown()
    thread.join(10)
    collector.server.server_close()


@pytest.fixture(autouse=True)
def _fresh_tracer():
    before = tracing.tracer.actual_tracer
    tracing.disable_tracing()
    warn_once._warned.clear()
    yield
    tracing.enable_tracing(before)


def ask(write_graph, query=QUESTION, *text):
    write_graph("query", *text)
    return run_graph(load_graph("query"), {"query": query})


def attributes(span):
    return {one.key: one.value.string_value for one in span.attributes}


@pytest.mark.integration
def test_spans_of_a_question_come_below_the_span_of_the_client(collector, write_graph):
    with coming_from(context_in(f"00-{TRACE}-{SPAN}-01")):
        result = ask(write_graph)
    (run,) = collector.named("haystack.pipeline.run")
    parts = collector.named("haystack.component.run")
    (look_up,) = collector.named("look_up")
    assert (run.trace_id.hex(), run.parent_span_id.hex()) == (TRACE, SPAN)
    assert {part.parent_span_id for part in parts} == {run.span_id}
    names = {attributes(part)["haystack.component.name"]: part for part in parts}
    assert set(names) == {"find", "answer"}
    assert look_up.parent_span_id == names["find"].span_id
    assert attributes(run)["khub.trace_id"] == result.trace_id
    assert collector.services == {"knowledge-hub"}
    assert {path for path, _ in collector.bodies} == {"/v1/traces"}
    assert find_trace(result.trace_id)["parent"]["trace_id"] == TRACE


@pytest.mark.integration
def test_without_a_client_a_question_has_a_trace_of_its_own(collector, write_graph, monkeypatch):
    monkeypatch.setenv("KHUB_TRACE", "off")  # the hub's own log is another matter
    ask(write_graph)
    (run,) = collector.named("haystack.pipeline.run")
    assert run.parent_span_id == b""


@pytest.mark.integration
@pytest.mark.parametrize("wanted", [False, True])
def test_texts_are_exported_where_haystack_is_told_so(collector, write_graph, monkeypatch, query_text, wanted):
    monkeypatch.setattr(tracing.tracer, "is_content_tracing_enabled", wanted)
    ask(write_graph)
    failing = query_text.replace("graph_parts.Find\n    init_parameters:\n      top_k: 2", "graph_parts.Fail")
    failing = failing.replace("  collection: find.collection\n  limit: find.limit\n", "")
    with pytest.raises(QueryError):
        ask(write_graph, QUESTION, failing)
    runs = collector.named("haystack.pipeline.run")
    while len(runs) < 2:
        runs = collector.named("haystack.pipeline.run")
    assert any(QUESTION.encode() in body for _, body in collector.bodies) is wanted
    failed = [part for part in collector.named("haystack.component.run") if part.status.code == 2]
    assert failed
    assert all(("herons" in part.status.message) is wanted for part in failed)


@pytest.mark.integration
def test_a_command_sends_what_it_has_before_it_ends(collector, tmp_path):
    """A process of its own: the spans wait longer there than the process lives."""
    code = (
        "from haystack import tracing; from khub.server.traces import tracer; tracer.install()\n"
        "with tracing.tracer.trace('haystack.pipeline.run'): pass"
    )
    environment = {**os.environ, "OTEL_BSP_SCHEDULE_DELAY": "60000"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, timeout=60)
    assert len(collector.named("haystack.pipeline.run")) == 1


@pytest.mark.unit
def test_without_an_address_nothing_is_imported_and_nothing_runs():
    code = (
        "import sys, threading; from khub.server.traces import tracer; tracer.install()\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]\n"
        "assert threading.active_count() == 1"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


@pytest.mark.unit
def test_without_the_package_there_is_one_warning_and_questions_go_on(write_graph, monkeypatch, caplog):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "khub.server.traces.otel_tracer", None)
    for _ in range(2):
        tracing.disable_tracing()
        assert ask(write_graph).outputs["answer"]
    assert len(caplog.records) == 1
    assert install_extra("otel") in caplog.text
    assert tracing.tracer.actual_tracer.inner is None
    assert isinstance(tracing.tracer.actual_tracer, tracer.HubTracer)
