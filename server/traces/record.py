"""One request while it runs, and the record of it that goes into the trace log."""

import time
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from khub.components.answer import Answer
from khub.components.catalog.access import caller
from khub.components.errors import KhubError
from khub.components.text.shown_address import without_credentials
from khub.components.value import as_json
from khub.components.verification import Verification
from khub.server.traces.stage_record import StageRecord
from khub.server.traces.summary import MASKED, MAX_ITEMS, MAX_TEXT, summarize, summarize_input, summarize_output
from khub.server.traces.together import together
from khub.server.traces.trace_context import trace_context
from khub.server.traces.trace_record import TraceRecord, TraceTotals

TEXTLESS = ("minimal", MASKED)
"""Levels at which no question stands in a trace."""

ASKED_WITH = ("history", "filters", "legs", "top_k")
"""What a question may be asked with: kept, so that it can be asked again."""
MAX_PARTS = 50


class StageSpan:
    """The run of one component, or a part of it.

    :param name: component name in the graph, with the names around it where pipelines are nested (`outer.inner`).
    :param type_: full class path of the component.
    :param method: name of the class that does the work (of a guarded component, that one).

    `senders` tells which stages feed it: input -> their names.
    """

    def __init__(self, name: str, type_: str, method: str) -> None:
        self.name = name
        self.type = type_
        self.method = method
        self.senders: dict[str, list[str]] = {}
        self.start = time.perf_counter()
        self.end: float | None = None
        self.input: dict[str, Any] = {}
        self.output: dict[str, Any] = {}
        self.details: dict[str, Any] = {}
        self.parts: list[StageSpan] = []
        self.error: BaseException | None = None

    def set_input(self, values: Mapping[str, Any], level: str) -> None:
        """Keep a summary of the inputs."""
        if level != "off":
            self.input = summarize_input(dict(values), level)

    def set_output(self, values: Mapping[str, Any], level: str) -> None:
        """Keep a summary of the outputs."""
        if level != "off":
            self.output = summarize_output(dict(values), level)

    def add_detail(self, key: str, value: Any, level: str) -> None:
        """Keep a summary of something that the component says about its run."""
        if level != "off":
            self.details[key] = summarize(value, level, key)

    def ms(self) -> float:
        """Return how long it took, or has taken so far, in milliseconds."""
        return round(((self.end or time.perf_counter()) - self.start) * 1000, 3)

    def record(self, started: float, level: str) -> StageRecord:
        """Return the stage as it stands in the trace.

        :param started: when the request began, on the clock of `time.perf_counter`.
        :param level: the trace level.
        """
        record: StageRecord = {"name": self.name}
        if self.type:
            record |= {"type": self.type, "method": self.method}
        record |= {"start_ms": round((self.start - started) * 1000, 3), "ms": self.ms()}
        if self.type:
            record |= {"senders": self.senders, "input": self.input, "output": self.output}
        details = dict(self.details)
        if self.parts:
            details["spans"] = [part.record(started, level) for part in self.parts[:MAX_PARTS]]
            if level != "minimal" and (usage := _sum([part.details.get("usage") for part in list(self.parts)])):
                details["usage"] = usage
        if details or self.type:
            record["details"] = details
        if self.end is None:
            record["unfinished"] = True  # its thread hangs: the reply did not wait for it
        if self.error is not None:
            record["error"] = error_text(self.error, level)
        return record


class Request:
    """One run of a graph.

    :param graph: the graph's name.
    :param kind: `query`, `verify`, `ingest` or `evaluate`.
    :param inputs: declared input -> value.
    :param level: the trace level at which it is recorded.
    :param methods: component name -> class that does its work.
    """

    def __init__(
        self, graph: str, kind: str, inputs: Mapping[str, Any], level: str, methods: Mapping[str, str]
    ) -> None:
        self.context = trace_context()
        own = uuid.uuid4().hex
        self.trace_id = self.context.own_span_id + own[16:] if self.context else own
        self.graph = graph
        self.kind = kind
        self.inputs = inputs
        self.level = level
        self.methods = methods
        self.time = datetime.now(UTC)
        self.start = time.perf_counter()
        self.end: float | None = None
        self.warm_up_ms: float | None = None
        self.stages: list[StageSpan] = []
        self.degraded: list[dict[str, str]] = []
        self.failed: set[str] = set()
        self.abstained = False
        self.caller = caller().name
        self.together = together()
        self.collection: Any = inputs.get("collection")
        self.error: BaseException | None = None

    def open_stage(
        self, name: str, type_: str, around: StageSpan | None, sockets: Mapping[str, Mapping[str, Any]]
    ) -> StageSpan:
        """Begin a stage, below another one when its pipeline runs inside a component.

        :param sockets: input -> what Haystack says of it, with the names of its `senders`.
        """
        outer = f"{around.name}." if around else ""
        path = outer + name
        stage = StageSpan(path, type_, self.methods.get(path) or type_.rpartition(".")[2])
        fed = {socket: about["senders"] for socket, about in sockets.items() if about.get("senders")}
        stage.senders = {socket: [outer + sender for sender in senders] for socket, senders in fed.items()}
        self.stages.append(stage)
        return stage

    def note_output(self, values: Mapping[str, Any]) -> None:
        """Note which stages were replaced, which files failed, which collection was read, and whether that told."""
        for value in (values, *map(_fields_of, values.values())):
            if isinstance(value.get("abstained"), bool):
                self.abstained = value["abstained"]
            if self.collection is None and isinstance(value.get("collection"), str):
                self.collection = value["collection"]
            degraded = value.get("degraded")
            for item in as_json(degraded) if isinstance(degraded, list) else []:
                if isinstance(item, dict) and item not in self.degraded:
                    self.degraded.append(dict(item))
            failed = value.get("failed") if self.kind == "ingest" else None
            for item in failed if isinstance(failed, list) else []:
                if isinstance(item, dict) and "source" in item:
                    self.failed.add(str(item["source"]))

    def timings_ms(self) -> dict[str, float]:
        """Return milliseconds per stage, summed where it ran several times, `warm_up` if there was one, and `total`."""
        timings: dict[str, float] = {}
        for stage in list(self.stages):
            timings[stage.name] = round(timings.get(stage.name, 0.0) + stage.ms(), 3)
        if self.warm_up_ms is not None:
            timings["warm_up"] = self.warm_up_ms
        timings["total"] = round(((self.end or time.perf_counter()) - self.start) * 1000, 3)
        return timings

    def record(self) -> TraceRecord:
        """Return the request as one JSON object of the trace log; a list reads what stands before the stages."""
        timings = self.timings_ms()
        totals: TraceTotals = {"ms": timings["total"], "stages": len(self.stages)}
        if self.warm_up_ms is not None:
            totals["warm_up_ms"] = self.warm_up_ms
        time = self.time.isoformat(timespec="milliseconds")
        record: TraceRecord = {"trace_id": self.trace_id, "time": time, "kind": self.kind}
        if self.caller:
            record["caller"] = self.caller
        if self.together:
            record["together"] = self.together
        record |= {**self._parent(), **self._subject()}
        record |= {"collection": self.collection, "graph": self.graph, "totals": totals}
        record["degraded"] = [{"stage": d.get("stage")} if self.level in TEXTLESS else d for d in self.degraded]
        if self.failed:
            record["failed_files"] = len(self.failed)
        if self.kind == "query" and self.error is None:
            record["abstained"] = self.abstained
        record["error"] = None if self.error is None else error_text(self.error, self.level)
        record["stages"] = [stage.record(self.start, self.level) for stage in list(self.stages)]
        return record

    def _parent(self) -> TraceRecord:
        """Return of which trace of a client the run is a part."""
        came = self.context
        return {"parent": {"trace_id": came.trace_id, "span_id": came.span_id}} if came else {}

    def _claimed(self) -> str | None:
        """Return the text whose claims are checked."""
        claims = self.inputs.get("claims")
        return " ".join(map(str, claims)) if isinstance(claims, list) else self.inputs.get("text")

    def _subject(self) -> TraceRecord:
        """Return what was asked for: the question, the text to be checked, or the files."""
        subject: TraceRecord = {}
        query, sources = self.inputs.get("query", self._claimed()), self.inputs.get("sources")
        if isinstance(query, str):
            subject["query"] = {"chars": len(query)} if self.level in TEXTLESS else query[:MAX_TEXT]
            given = {name: self.inputs.get(name) for name in ASKED_WITH}
            if with_it := summarize_input(given, self.level):
                subject["asked_with"] = with_it
        if isinstance(sources, list | tuple):
            subject["source_count"] = len(sources)
            if self.level != "minimal":
                subject["sources"] = [str(s.get("path", "") if isinstance(s, dict) else s) for s in sources[:MAX_ITEMS]]
        return subject


def _fields_of(output: Any) -> Mapping[str, Any]:
    """Return the fields of an answer or a verification; a stage of somebody's own may give it as a dict."""
    if isinstance(output, Answer | Verification):
        return vars(output)
    return output if isinstance(output, dict) else {}


def _sum(usages: list[Any]) -> dict[str, float]:
    """Return the tokens of all calls of a model that a stage has made, those too whose parts are not kept."""
    total: dict[str, float] = {}
    for usage in usages:
        for name, value in usage.items() if isinstance(usage, dict) else ():
            if isinstance(value, int | float):
                total[name] = total.get(name, 0) + value
    return total


def error_text(error: BaseException, level: str) -> str:
    """Return an error as one line: its class alone where there are no texts, since messages may quote the question."""
    if level in TEXTLESS:
        return type(error).__name__
    text = str(error) if isinstance(error, KhubError) else f"{type(error).__name__}: {error}"
    return " ".join(without_credentials(text).split())[:MAX_TEXT].removesuffix(":")
