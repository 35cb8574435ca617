# ruff: noqa: E501 - one case stands on one line
import jsonschema
import pytest
import yaml

from khub.server.graphs.catalogue import component_classes, part_classes
from khub.server.graphs.schema import graph_schema
from tests.server.hub_files import FIXED, PIPELINES

pytestmark = pytest.mark.unit

TEXT = (FIXED / "query.yaml").read_text(encoding="utf-8")
WEIGHT = "sparse_weight: 0.4"
GUARD = "parameters-of-khub.components.guard.Guard"


@pytest.fixture(scope="module")
def schema():
    return graph_schema()


@pytest.fixture(scope="module")
def errors(schema):
    """Return a function that gives place and message of what the schema has against a graph's text."""
    validator = jsonschema.Draft202012Validator(schema)

    def find(text):
        return [(".".join(map(str, e.path)), e.message) for e in validator.iter_errors(yaml.safe_load(text))]

    return find


def test_the_schema_is_one(schema):
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("file", sorted(PIPELINES.glob("*.yaml")), ids=lambda file: file.stem)
def test_shipped_graphs_are_valid(errors, file):
    assert errors(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (WEIGHT, "sparse_wait: 1", "components.rank.init_parameters"),
        (WEIGHT, "sparse_weight: much", "components.rank.init_parameters.sparse_weight"),
        ("timeout_s: 5", "timeout_s: '5'", "metadata.guard.timeout_s"),
        ("dense: 7", "dense: 0", "metadata.guard.stages.dense"),
        ("    stages:", "    stage:", "metadata.guard"),
        ("function: cosine", "function: cosin", "components.dense.init_parameters.template.init_parameters.store.init_parameters.distance_function"),
        ("persist_path", "path", "components.dense.init_parameters.template.init_parameters.store.init_parameters"),
        ("dense_retriever.DenseRetriever", "dense_retriever.DenseRetriver", "components.dense.type"),
        ("init_parameters: {}", "init_parameters:", "components.route.init_parameters"),
        ("text_embedder.TextEmbedder", "text_embedder.TextEmbeder", "components.dense.init_parameters.embedder.type"),
        ("          retriever: haystack_integrations.components.retrievers.chroma.ChromaEmbeddingRetriever\n", "", "components.dense.init_parameters.template.init_parameters"),
        ("    init_parameters: {}\n", "    parameters: {}\n", "components.route"),
        ("\nconnections:", "\nconections:", ""),
        ("sender: route.question", "from: route.question", "connections.0"),
        ("query: route.query", "query: route", "inputs.query"),
        ("answer: answer.answer", "answer: [answer.answer]", "outputs.answer"),
        ("kind: query", "kind: search", "metadata.kind"),
    ],
)  # fmt: skip
def test_mistakes_are_found_where_they_stand(errors, old, new, place):
    assert old in TEXT
    found = errors(TEXT.replace(old, new, 1))
    assert found
    assert {where for where, _ in found} == {place}


def test_parameters_have_types_defaults_and_descriptions(schema):
    guard = schema["$defs"][GUARD]
    assert guard["properties"]["timeout_s"] == {
        "type": "number",
        "default": 5.0,
        "description": "seconds that one call may take, above 0.",
    }
    assert guard["required"] == ["component", "stage"]
    assert guard["properties"]["component"]["$ref"] == "#/$defs/object"
    assert guard["description"].startswith("Runs one component")


def test_secrets_are_objects(schema):
    generator = "parameters-of-haystack.components.generators.chat.openai.OpenAIChatGenerator"
    assert schema["$defs"][generator]["properties"]["api_key"]["$ref"] == "#/$defs/object"


def test_catalogue_has_own_and_haystacks_classes(monkeypatch):
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "graph_parts,no_such_package.*")
    components, parts = component_classes(), part_classes()
    assert {
        "khub.components.guard.Guard",
        "haystack.components.joiners.document_joiner.DocumentJoiner",
        "haystack_integrations.components.retrievers.chroma.retriever.ChromaEmbeddingRetriever",
        "graph_parts.Find",
    } <= set(components)
    assert {
        "khub.components.stores.store_template.StoreTemplate",
        "khub.components.stores.chroma_store.ChromaStore",
    } <= set(parts)
    assert "graph_parts.Template" not in parts  # it cannot be written: no to_dict
    assert not set(components) & set(parts)
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "")
    assert "graph_parts.Find" not in component_classes()
