"""What a collection remembers is enough to ask it."""

import contextlib

import pytest
from haystack import component, default_to_dict
from haystack.utils import Secret
from toy_embedders import SuffixedDocumentEmbedder, ToyDocumentEmbedder

from khub.components.embedders.cached_embedder import CachedEmbedder
from khub.components.errors import BindingError, GraphError
from khub.components.secret_pairs import SecretError
from khub.components.stores.bound_parts import _parts, bound_parts
from khub.components.trust import decide_code

pytestmark = pytest.mark.unit

OPTIONAL = Secret.from_env_var("TOY_TOKEN", strict=False)


def binding(library, embedder):
    return {"embedder": CachedEmbedder(embedder).binding(), "store": library.chroma.to_dict()}


def test_text_embedder_takes_over_the_parameters_that_it_knows(library):
    embedder, template = bound_parts(binding(library, ToyDocumentEmbedder("m", prefix="p ", batch=9)))
    assert type(embedder).__name__ == "ToyTextEmbedder"
    assert (embedder.model, embedder.prefix) == ("m", "p ")
    assert template.to_dict() == library.chroma.to_dict()


@pytest.mark.parametrize(
    ("of_passages", "question", "of_question"),
    [
        ("passage: ", None, "query: "),
        ("search_document: ", None, "search_query: "),
        ("p ", {"prefix": "q "}, "q "),
        ("passage: ", {"prefix": ""}, ""),
        ("", {"prefix": "q "}, "q "),
    ],
)
def test_question_is_told_from_a_passage(library, of_passages, question, of_question):
    cached = CachedEmbedder(ToyDocumentEmbedder("m", prefix=of_passages), question=question)
    embedder, _ = bound_parts({"embedder": cached.binding(), "store": library.chroma.to_dict()})
    assert embedder.prefix == of_question
    assert cached.embedder.prefix == of_passages


@pytest.mark.parametrize(("suffix", "question"), [(" p", None), ("", {"nothing": 1})])
def test_what_a_question_would_have_to_be_embedded_with_is_not_left_out(library, suffix, question):
    cached = CachedEmbedder(SuffixedDocumentEmbedder(suffix), question=question)
    with pytest.raises(
        BindingError, match=r"SuffixedTextEmbedder has no parameter '(suffix|nothing)' for the question"
    ):
        bound_parts({"embedder": cached.binding(), "store": library.chroma.to_dict()})


def test_question_may_send_a_secret_nowhere_else(library, monkeypatch):
    stored = binding(library, ToyDocumentEmbedder())
    secret = {"type": "env_var", "env_vars": ["A_KEY"], "strict": True}
    stored["embedder"]["component"]["init_parameters"] |= {"api_key": secret, "url": "http://one.example"}
    monkeypatch.setenv("KHUB_SECRETS", "A_KEY@one.example")
    bound_parts(stored)
    stored["embedder"]["question"] = {"url": "http://evil.example"}
    with pytest.raises(SecretError, match=r"sends A_KEY to evil\.example"):
        bound_parts(stored)


def test_the_code_of_a_model_that_the_catalog_names_does_not_run(library):
    stored = binding(library, ToyDocumentEmbedder("of/them"))
    stored["embedder"]["component"]["init_parameters"]["model_kwargs"] = {"trust_remote_code": True}
    with pytest.raises(GraphError, match="of/them"):
        bound_parts(stored)
    decide_code("of/them", allowed=True)
    bound_parts(stored)


def test_equal_bindings_share_their_parts(library):
    one, again = (bound_parts(binding(library, ToyDocumentEmbedder("m"))) for _ in range(2))
    other = bound_parts(binding(library, ToyDocumentEmbedder("n")))
    assert one[0] is again[0]
    assert one[0] is not other[0]


@pytest.mark.parametrize(
    "type_name", ["khub.components.embedders.nothing.XDocumentEmbedder", "khub.components.home.XDocumentEmbedder"]
)
def test_embedder_that_is_gone(library, type_name):
    stored = binding(library, ToyDocumentEmbedder())
    stored["embedder"]["component"] = {"type": type_name, "init_parameters": {}}
    with pytest.raises(BindingError, match=r"there is no text embedder .*XTextEmbedder"):
        bound_parts(stored)


def test_embedder_outside_the_allow_list_is_not_imported(library):
    stored = binding(library, ToyDocumentEmbedder())
    stored["embedder"]["component"] = {"type": "antigravity.XDocumentEmbedder", "init_parameters": {}}
    with pytest.raises(BindingError, match="antigravity"):
        bound_parts(stored)
    import sys

    assert "antigravity" not in sys.modules


@component
class KeyedDocumentEmbedder(ToyDocumentEmbedder):
    """Takes a key of which it can do without, as embedders of local models do."""

    def __init__(self, model: str = "toy", token: Secret = OPTIONAL) -> None:
        self.model, self.token = model, token

    def to_dict(self):
        return default_to_dict(self, model=self.model, token=self.token)


def test_a_key_that_need_not_be_set_and_is_not_is_sent_nowhere(library, monkeypatch):
    stored = binding(library, KeyedDocumentEmbedder())
    stored["embedder"]["component"]["type"] = "toy_embedders.ToyDocumentEmbedder"
    assert bound_parts(stored)[0].model == "toy"
    monkeypatch.setenv("TOY_TOKEN", "a-word")
    _parts.cache_clear()
    with pytest.raises(SecretError, match="TOY_TOKEN"):
        bound_parts(stored)


def test_hosts_of_a_collection_are_told_once(library, caplog):
    stored = binding(library, ToyDocumentEmbedder())
    stored["store"]["init_parameters"]["store"]["init_parameters"]["host"] = "evil.example"
    for _ in range(2):
        with contextlib.suppress(BindingError):
            bound_parts(stored)
    assert caplog.text.count("evil.example") == 1


def test_a_graph_is_no_embedder(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pipelines").mkdir()
    (tmp_path / "pipelines" / "x.yaml").write_text("metadata: {kind: query}", encoding="utf-8")
    stored = binding(library, ToyDocumentEmbedder())
    stored["embedder"]["component"] = {"type": "khub.components.subgraph.Subgraph", "init_parameters": {"graph": "x"}}
    with pytest.raises(BindingError, match="graph 'x'"):
        bound_parts(stored)
