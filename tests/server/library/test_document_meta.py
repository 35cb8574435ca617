"""Every field that an ingest or a question writes into `document.meta` is named in one place.

It takes about ten seconds: files of many kinds go through every stage of the real graphs.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from haystack import Document

from khub.components.catalog.document_meta import DocumentMeta
from khub.components.question import Leg
from khub.server.graphs.load import Graph, load_graph
from tests.server.hub_files import PIPELINES

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

SAMPLES = PIPELINES.parent / "eval" / "samples"
OWN = {"team", "weather"}
FILES = {
    "trip.eml": "From: Ann <a@example.org>\nTo: Ben <b@example.org>\nCc: Cy <c@example.org>\nSubject: Trip\n"
    "Date: Mon, 2 Nov 2026 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
    "--b\nContent-Type: text/plain\n\nWe leave at noon.\n"
    "--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=list.txt\n\nRope and boots.\n--b--\n",
    "notes.md": "---\nweather: fine\ntags: [walks]\n---\n# Notes\n\nThe Ember 300 stands by the window.\n",
    "steps.py": "def step():\n    return 1\n",
    "page.html": "<html lang=en><title>Ember</title><meta name=author content=Ann><p>The Ember 300 hums.</p></html>",
    "old.txt": "Über die Brücke, señor, café.\n",
}


@pytest.fixture
def sources(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_bytes(text.encode("cp1252" if name == "old.txt" else "utf-8"))
    samples = [path for path in sorted(SAMPLES.iterdir()) if path.is_file()]
    return [*map(str, samples), *(str(tmp_path / name) for name in FILES)]


def documents(value: Any) -> Iterator[Document]:
    if isinstance(value, Document):
        yield value
    elif isinstance(value, Leg):
        yield from documents(value.documents)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from documents(item)


def fields(graph: Graph, **inputs: Any) -> tuple[set[str], dict[str, Any]]:
    """Run a graph and return the metadata of what any stage gives, and all that they give."""
    given: dict[str, dict[str, Any]] = {}
    for name, value in inputs.items():
        for socket in graph.inputs[name]:
            stage, _, key = socket.partition(".")
            given.setdefault(stage, {})[key] = value
    graph.warm_up()
    stages = {name for name, _ in graph.pipeline.walk()}
    outputs = graph.pipeline.run(given, include_outputs_from=stages)
    found = (document for of_stage in outputs.values() for value in of_stage.values() for document in documents(value))
    return {key for document in found for key in document.meta}, outputs


def test_no_field_is_unnamed(fixed_graphs, sources):
    graph, seen, waiting = load_graph("ingest"), set[str](), sources
    while waiting:
        of_run, outputs = fields(graph, sources=waiting, collection="all", recipe="r", meta={"team": "north"})
        seen |= of_run
        assert outputs["write"]["report"]["failed"] == []
        waiting = outputs["write"]["remaining"]
    for query in ("Ember 300", "差旅住宿标准", "compare the Ember 300 and the Beacon"):
        seen |= fields(load_graph("query"), query=query, collection="all")[0]
    assert seen - OWN <= {*DocumentMeta.__annotations__}
    assert {"boxes", "parts", "part_of", "symbols", "summary", "ranks", "guessed_encoding", *OWN} <= seen
