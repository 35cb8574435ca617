"""A store is written once, as data, and built for each collection."""

import pytest
from haystack import Pipeline
from haystack.core.errors import DeserializationError

from khub.components.errors import GraphError
from khub.components.stores.store_template import StoreTemplate
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

CHROMA = "khub.components.stores.chroma_store.ChromaStore"
RETRIEVER = "haystack_integrations.components.retrievers.chroma.ChromaEmbeddingRetriever"
GRAPH = """
components:
  find:
    type: khub.components.retrievers.dense_retriever.DenseRetriever
    init_parameters:
      template:
        type: khub.components.stores.store_template.StoreTemplate
        init_parameters:
          retriever: RETRIEVER
          store:
            type: STORE
            init_parameters: {collection_name: "{collection}", persist_path: "{home}/dense/{collection}"}
"""


def load(store=CHROMA, retriever=RETRIEVER):
    return Pipeline.loads(
        GRAPH.replace("STORE", store).replace("RETRIEVER", retriever), allowed_modules=["khub.components.*"]
    )


def test_placeholders_are_filled_wherever_they_stand(template, tmp_path):
    template.store["init_parameters"]["persist_path"] = "{home}/x/{collection}/{collection}"
    store, retriever = template.build("docs_g3", tmp_path)
    assert store.folder == tmp_path / "x" / "docs_g3" / "docs_g3"
    assert store.to_dict()["init_parameters"]["collection_name"] == "docs_g3"
    assert retriever.document_store is store


def test_braces_in_the_home_folder_are_left_alone(template, tmp_path):
    store, _ = template.build("docs_g1", tmp_path / "{collection}")
    assert store.folder == tmp_path / "{collection}" / "dense" / "docs_g1"


def test_spelling_names_the_same_folder_by_another_string(template, tmp_path):
    one, other = (template.build("docs_g1", tmp_path, n)[0]._persist_path for n in (0, 2))
    assert one != other
    assert type(tmp_path)(one) == type(tmp_path)(other)


@pytest.mark.parametrize(
    ("place", "unknown"),
    [("{name}", "{name}"), ("{home}/{collections}", "{collections}"), (["x", {"deep": "{tenant}"}], "{tenant}")],
)
def test_unknown_placeholder_is_refused(place, unknown):
    with raises_code("graph_parameter_invalid", unknown, "{collection}", "{home}"):
        StoreTemplate(store={"type": CHROMA, "init_parameters": {"p": place}}, retriever=RETRIEVER)


@pytest.mark.parametrize("text", ["{}", "{a b}", "{{", '{"json": 1}', "100 %"])
def test_braces_without_a_name_are_data(text, tmp_path):
    StoreTemplate(
        store={"type": CHROMA, "init_parameters": {"collection_name": "{collection}", "x": text}}, retriever=RETRIEVER
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"collection_name": "docs"}, "no parameter holds {collection}: name the collection or index by it"),
        ({"collection_name": "{collection}", "persist_path": "/tmp/x"}, "is not kept apart for each collection"),
        ({"collection_name": "{collection}", "persist_path": "{home}/dense"}, "is not kept apart for each collection"),
        ({"collection_name": "{collection}", "persist_path": "/tmp/{collection}"}, "is not kept apart"),
        ({"collection_name": "{collection}", "persist_path": "dense/{collection}"}, "is not kept apart"),
        ({"collection_name": "{collection}", "persist_path": "{home}/x_{collection}"}, "is not kept apart"),
        ({"collection_name": "{collection}", "persist_path": "{home}/../{collection}"}, "is not kept apart"),
        ({"collection_name": "{collection}", "persist_path": "{home}/{collection}/../all"}, "is not kept apart"),
        ({"collection_name": "{collection}", "persist_path": "{home}/sparse/{collection}"}, "is not kept apart"),
        ({"collection_name": "{collection}", "index_file": "{home}/faiss"}, "index_file '{home}/faiss' is not kept"),
        ({"collection_name": "{collection}", "nested": [{"uri": "vectors.db"}]}, "uri 'vectors.db' is not kept apart"),
    ],
)
def test_template_that_mixes_collections_is_refused(parameters, message):
    with pytest.raises(GraphError, match=message):
        StoreTemplate(store={"type": CHROMA, "init_parameters": parameters}, retriever=RETRIEVER)


@pytest.mark.parametrize(
    ("parameters", "roots"),
    [
        ({"persist_path": "{home}/dense/{collection}"}, ["dense"]),
        ({"x": {"persist_path": "{home}/a/b/{collection}/c"}}, ["a/b"]),
        ({"index_file": "{home}/faiss/{collection}/index"}, ["faiss"]),
        ({"collection_name": "{collection}", "uri": "http://localhost:19530"}, []),
        ({"index": "{collection}", "location": ":memory:"}, []),
    ],
)
def test_local_folders_of_a_template(parameters, roots, tmp_path):
    template = StoreTemplate(store={"type": CHROMA, "init_parameters": parameters}, retriever=RETRIEVER)
    assert template.roots(tmp_path) == [tmp_path / root for root in roots]


@pytest.mark.parametrize(
    ("parameters", "parents"),
    [
        ({"persist_path": "{home}/dense/{collection}"}, ["dense"]),
        ({"connection_args": {"uri": "{home}/dense/{collection}/milvus.db"}}, ["dense/books_g1"]),
        ({"collection_name": "{collection}", "uri": "http://localhost:19530"}, []),
    ],
)
def test_folders_that_a_store_expects(parameters, parents, tmp_path):
    template = StoreTemplate(store={"type": CHROMA, "init_parameters": parameters}, retriever=RETRIEVER)
    assert template.parents("books_g1", tmp_path) == [tmp_path / parent for parent in parents]


def test_a_file_is_shown_where_it_may_lie():
    parameters = {"collection_name": "{collection}", "uri": "{home}/{collection}.db"}
    with pytest.raises(GraphError) as caught:
        StoreTemplate(store={"type": CHROMA, "init_parameters": parameters}, retriever=RETRIEVER)
    assert "{home}/dense/{collection}/milvus.db" in caught.value.remedy


def test_loading_a_graph_opens_nothing_and_gives_back_what_stood_there(tmp_path, monkeypatch):
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))
    pipeline = load()
    assert not (tmp_path / "hub").exists()
    assert isinstance(pipeline.get_component("find").template, StoreTemplate)
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*"])
    assert again.dumps() == pipeline.dumps()
    assert "'{home}/dense/{collection}'" in pipeline.dumps() or "{home}/dense/{collection}" in pipeline.dumps()


@pytest.mark.parametrize(
    ("store", "retriever", "word"),
    [
        ("khub.components.stores.chroma_store.ChromaStor", RETRIEVER, "ChromaStor"),
        ("khub.components.stores.chrome.ChromaStore", RETRIEVER, "chrome"),
        (CHROMA, "khub.components.retrievers.missing.Retriever", "missing"),
        ("subprocess.Popen", RETRIEVER, "subprocess"),
        (CHROMA, "os.system", "os"),
    ],
)
def test_wrong_type_is_refused_while_the_graph_is_loaded(store, retriever, word):
    with pytest.raises((DeserializationError, ImportError), match=word):
        load(store, retriever)


def test_store_is_built_with_the_allow_list_of_its_graph(tmp_path):
    """Deserializing happens at the first use, in another thread or task: the list must come along."""
    import contextvars

    template = load().get_component("find").template
    store, _ = contextvars.Context().run(template.build, "docs_g1", tmp_path)
    assert store.folder == tmp_path / "dense" / "docs_g1"


def test_equal_templates_have_equal_keys(template):
    same = StoreTemplate(store=dict(reversed(template.store.items())), retriever=template.retriever)
    other = StoreTemplate(
        store={**template.store, "init_parameters": {"collection_name": "{collection}"}}, retriever=template.retriever
    )
    assert template.key == same.key
    assert len({template.key, other.key, StoreTemplate(template.store, "other.Retriever").key}) == 3
