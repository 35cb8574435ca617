"""A server ranks, by Jina's protocol or by that of text-embeddings-inference."""

import httpx
import pytest
from haystack import Document, Pipeline
from haystack.utils import Secret

from khub.components.errors import GraphError, RetrievalError
from khub.components.rankers.rerank_server import RerankServer
from tests.backends.providers.jina_protocol import OwnReranker, TextEmbeddingsInference
from tests.backends.providers.model import FACT
from tests.backends.providers.provider_server import KEY, Answer, as_json, serving

pytestmark = pytest.mark.unit

PASSAGES = [Document(content=text, meta={"title": "a"}) for text in ("one", FACT, "two")]


@pytest.fixture
def jina(monkeypatch):
    monkeypatch.setenv("RERANK_API_KEY", KEY)
    with serving(OwnReranker()) as server:
        yield server


@pytest.fixture
def tei():
    with serving(TextEmbeddingsInference()) as server:
        yield server


def of(server, **more):
    return RerankServer(f"{server.address}/v1/rerank", server.models[0], Secret.from_env_var("RERANK_API_KEY"), **more)


def test_passages_come_in_the_servers_order_under_their_titles(jina):
    ranker = of(jina)
    ranked = ranker.run("which", PASSAGES)["documents"]
    assert [(document.content, document.score) for document in ranked] == [(FACT, 0.97), ("one", 0.4), ("two", 0.38)]
    assert jina.asked[0].body["documents"] == ["a\none", f"a\n{FACT}", "a\ntwo"]
    assert ranker.run("which", [])["documents"] == []
    assert len(jina.asked) == 1


def test_a_server_without_key_and_name(tei):
    ranked = RerankServer(f"{tei.address}/rerank", protocol="tei").run("which", PASSAGES)["documents"]
    assert ranked[0].content == FACT
    assert set(tei.asked[0].body) == {"query", "texts"}
    assert "authorization" not in tei.asked[0].headers


def test_a_refusal_is_raised_with_its_status(jina):
    jina.fails = 429
    with pytest.raises(httpx.HTTPStatusError) as error:
        of(jina).run("which", PASSAGES)
    assert error.value.response.status_code == 429


@pytest.mark.parametrize("answer", [{"results": [{"index": 7, "relevance_score": 1}]}, {"data": []}, [1], "x"])
def test_an_answer_that_is_none_is_named(jina, answer):
    jina.rerank = lambda asked: as_answer(answer)
    with pytest.raises(RetrievalError, match="is not of the protocol 'jina'"):
        of(jina).run("which", PASSAGES)


def as_answer(value):
    return Answer(200, as_json(value))


@pytest.mark.parametrize("wrong", [{"protocol": "cohere"}, {"timeout_s": 0}])
def test_parameters_out_of_bounds_are_refused(wrong):
    with pytest.raises(GraphError, match=next(iter(wrong))):
        RerankServer("http://127.0.0.1", **wrong)


def test_a_graph_holds_the_name_of_the_variable_and_not_the_key(jina):
    pipeline = Pipeline()
    pipeline.add_component("ranker", of(jina, timeout_s=3))
    text = pipeline.dumps()
    assert KEY not in text
    again = Pipeline.loads(text, allowed_modules=["khub.components.*"]).get_component("ranker")
    assert again.to_dict() == of(jina, timeout_s=3).to_dict()
