"""Weaviate and Pinecone: their graphs load and serialise; no server of theirs is there."""

import pytest

from khub.server.graphs.load import load_graph
from tests.docs.markdown import PAGES, blocks
from tests.docs.unified_diff import apply
from tests.server.hub_files import PIPELINES, copy_pipelines

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(
    ("word", "module", "index"),
    [
        ("WeaviateDocumentStore", "weaviate", lambda store: store._collection_settings["class"]),
        ("PineconeDocumentStore", "pinecone", lambda store: store.namespace),
    ],
)
def test_graph_loads_and_serialises_and_the_store_is_built(tmp_path, monkeypatch, word, module, index):
    pytest.importorskip(f"haystack_integrations.document_stores.{module}")
    (diff,) = {b.text for page in PAGES for b in blocks(page, "diff") if word in b.text}
    folder = copy_pipelines(tmp_path)
    text = apply(diff, (PIPELINES / "ingest.yaml").read_text(encoding="utf-8"))
    (folder / "service.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("KHUB_PIPELINES", str(folder))
    writer = load_graph("service").pipeline.get_component("write")
    template = writer.template
    assert writer.to_dict()["init_parameters"]["template"] == template.to_dict()
    assert template.roots(tmp_path) == []
    store, retriever = template.build("docs_g3", tmp_path)
    assert type(store).__name__ == word
    assert index(store).lower() == "docs_g3"
    assert type(store).from_dict(store.to_dict()).to_dict() == store.to_dict()
    assert type(retriever).from_dict(retriever.to_dict()).to_dict() == retriever.to_dict()
