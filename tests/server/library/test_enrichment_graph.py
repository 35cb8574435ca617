"""The part of an ingest graph behind its splitter is found whatever stands in it."""

import pytest
import yaml

from khub.server.graphs.load import load_graph
from khub.server.library.enrichment_graph import enrichment_graph
from khub.server.library.enrichment_stages import stages_behind_splitter
from tests.error_codes import raises_code
from tests.server.hub_files import PIPELINES

pytestmark = pytest.mark.integration

UNIQUE = {"type": "khub.components.enrichers.near_duplicates.NearDuplicates", "init_parameters": {}}
CLEAN = {"type": "haystack.components.preprocessors.document_cleaner.DocumentCleaner", "init_parameters": {}}


@pytest.fixture
def changed(tmp_path):
    """A function: change the connections of the shipped graph, add parts, and load it."""

    def change(gone, new, shipped="ingest", **parts):
        data = yaml.safe_load((PIPELINES / f"{shipped}.yaml").read_text(encoding="utf-8"))
        data["components"] |= parts
        links = [(link["sender"], link["receiver"]) for link in data["connections"]]
        assert set(gone) <= set(links)
        data["connections"] = [
            {"sender": sender, "receiver": receiver}
            for sender, receiver in [*links, *new]
            if (sender, receiver) not in gone
        ]
        file = tmp_path / "changed.yaml"
        file.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
        return load_graph(str(file))

    return change


def part_of(graph):
    return enrichment_graph(graph, stages_behind_splitter(graph.pipeline))


def names(graph):
    return {name for name, _ in graph.pipeline.walk()}


@pytest.mark.parametrize("name", ["more/ingest_llm", "ingest", "ingest_rows"])
def test_the_shipped_graphs_can_be_taken_apart(name, monkeypatch):
    monkeypatch.setenv("KHUB_PIPELINES", str(PIPELINES))
    graph = part_of(load_graph(name))
    models = {"refine", "caption"} if "llm" in name else set()
    assert names(graph) == {"describe", "embed", "write"} | models
    assert graph.inputs == {
        "documents": ["refine.documents" if models else "describe.documents"],
        "pictures": ["caption.pictures" if models else "write.pictures"],
        "collection": ["write.collection"], "sources": ["write.sources"], "versions": ["write.versions"],
    }  # fmt: skip


def test_a_stage_before_the_splitter_is_left_out_and_one_behind_it_is_given_the_collection(changed):
    graph = changed(
        [("ocr.documents", "split.documents"), ("split.documents", "describe.documents")],
        [
            ("ocr.documents", "clean.documents"), ("clean.documents", "split.documents"),
            ("split.documents", "unique.documents"), ("unique.documents", "describe.documents"),
            ("check.collection", "unique.collection"),
        ],
        clean=CLEAN,
        unique=UNIQUE,
    )  # fmt: skip
    taken = part_of(graph)
    assert names(taken) == {"unique", "describe", "embed", "write"}
    assert taken.inputs["collection"] == ["unique.collection", "write.collection"]


def test_a_stage_that_reads_what_only_the_file_gives_is_refused(changed):
    graph = changed(
        [("split.documents", "describe.documents")],
        [
            ("split.documents", "all.documents"),
            ("convert.documents", "all.documents"),
            ("all.documents", "describe.documents"),
        ],
        all=_joiner(),
    )
    with raises_code("graph_stage_missing", "'all.documents'", "'convert.documents'"):
        part_of(graph)


def test_chunks_that_go_two_ways_are_refused(changed):
    graph = changed(
        [("describe.documents", "embed.documents")],
        [
            ("split.documents", "all.documents"),
            ("describe.documents", "all.documents"),
            ("all.documents", "embed.documents"),
        ],
        all=_joiner(),
    )
    with raises_code("graph_stage_missing", "splitter"):
        part_of(graph)


def _joiner():
    return {"type": "haystack.components.joiners.document_joiner.DocumentJoiner", "init_parameters": {}}
