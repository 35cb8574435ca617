"""Each diff that names another ranker puts the passages into its order, and leaves them as they were where it fails."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from khub.server.questions.ask import ask
from tests.backends.providers.cohere_protocol import relevance
from tests.backends.providers.model import FACT
from tests.backends.providers.played import provider, served
from tests.backends.providers.provider_server import KEY
from tests.backends.providers.tiny_transformer import write_splade, write_transformer
from tests.components.rankers.test_onnx_cross_encoder import write_model

pytestmark = pytest.mark.integration

QUESTION = "Does the Heron drone fly for a while on its battery?"
EACH = pytest.mark.parametrize("name", served("rankers"))
WITH_KEY = [name for name in served("rankers") if not provider("rankers", name).keyless]


def asked() -> dict[str, Any]:
    return ask(QUESTION, "docs", "query")


@EACH
def test_passages_come_in_its_order_with_its_scores(hub, name):
    made = hub("rankers", name)
    assert FACT not in asked().citations[0].text
    made.swap()
    answer = asked()

    assert answer.degraded == []
    best = answer.citations[0]
    assert FACT in best.text
    assert best.ranks["rerank"] == 1
    (request,) = made.provider.asked
    given = request.body.get("documents") or request.body["texts"]
    assert any(text.startswith("Ember manual\n") and FACT in text for text in given) or name == "Cohere"
    assert max(relevance(given)) == 0.97
    assert request.body["query"] == QUESTION
    assert made.provider.refused == []
    assert KEY.encode() not in made.kept()


@pytest.mark.parametrize("name", WITH_KEY)
def test_a_wrong_key_leaves_the_order_and_is_told_with_what_to_do(hub, name):
    made = hub("rankers", name)
    made.swap()
    made.patch.setenv(made.variable, "wrong-key-99e1f0ab35")
    assert_told(asked(), "answers 401", "put a key of this server into the variable that the graph names")
    assert b"wrong-key-99e1f0ab35" not in made.kept()


@EACH
@pytest.mark.parametrize(
    ("status", "remedy"),
    [(429, "ask less often, or raise the account's limit"), (500, "try again, or look into the server's log")],
)
def test_a_server_that_refuses_leaves_the_order_and_is_told_with_what_to_do(hub, name, status, remedy):
    made = hub("rankers", name)
    made.refuse("timeout_s: 5", "timeout_s: 20")  # Cohere's library asks again by itself
    made.swap()
    made.provider.fails = status
    assert_told(asked(), f"answers {status}", remedy)


def test_another_protocol_is_told(hub):
    made = hub("rankers", "text-embeddings-inference")
    made.swap()
    made.refuse(", protocol: tei", "")
    made.provider.routes = lambda: {
        "/rerank": lambda asked: made.provider.__class__.rerank(made.provider, as_tei(asked))
    }
    assert_told(asked(), "is not of the protocol 'jina'", "set the server's own url and protocol in the graph")


def as_tei(asked):
    asked.body["texts"] = asked.body.pop("documents")
    return asked


def assert_told(answer: dict[str, Any], what: str, remedy: str) -> None:
    (entry,) = answer.degraded
    assert entry.stage == "rerank"
    assert what in entry.reason
    assert entry.reason.endswith(remedy)
    assert answer.citations


def cross_encoder(folder: Path) -> Path:
    return write_transformer(folder, "BertForSequenceClassification", num_labels=1)


def onnx_cross_encoder(folder: Path) -> Path:
    return Path(write_model(folder))


@pytest.mark.parametrize(
    ("name", "model", "write"),
    [
        ("A cross-encoder", "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1", cross_encoder),
        ("A cross-encoder in ONNX", "~/models/my-cross-encoder", onnx_cross_encoder),
        ("SPLADE", "prithivida/Splade_PP_en_v2", write_splade),
    ],
)
def test_a_local_model_ranks(hub, name, model, write, tmp_path):
    pytest.importorskip("sentence_transformers")
    made = hub("rankers", name)
    made.refuse("timeout_s: 5", "timeout_s: 60")
    made.swap()
    folder = write(tmp_path / "tiny")
    made.refuse(model, str(folder))
    answer = asked()

    assert answer.degraded == []
    scores = [citation.score for citation in answer.citations]
    assert len(scores) > 1
    assert answer.citations[0].ranks["rerank"] == 1
    shutil.rmtree(folder)
