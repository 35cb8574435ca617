"""Each diff that names another embedder fills a collection by it, and asks it by it as a question."""

from typing import Any

import pytest

from khub.components.model_servers import model_server
from khub.server.questions.ask import ask
from tests.backends.providers.conftest import FILES, write_files
from tests.backends.providers.model import FACT
from tests.backends.providers.played import provider, served
from tests.backends.providers.provider_server import KEY
from tests.backends.providers.tiny_transformer import write_sentence_transformer

pytestmark = pytest.mark.integration

QUESTION = "How long does the battery of the Ember robot last?"
EACH = pytest.mark.parametrize("name", served("embedders"))
WITH_KEY = [name for name in served("embedders") if not provider("embedders", name).keyless]
TOLD = {  # what says that texts are passages, and that one is a question
    "Jina": ("task", "retrieval.passage", "retrieval.query"),
    "Cohere": ("input_type", "search_document", "search_query"),
}


def filled(made) -> tuple[int, str]:
    files = made.folder / "files"
    if not files.exists():
        write_files(files)
    return made.khub("ingest", str(files), "--collection", "meant")


def asked() -> dict[str, Any]:
    return ask(QUESTION, "meant", "query")


def texts(body: dict[str, Any]) -> list[str]:
    given = body.get("texts") or body["input"]
    return [given] if isinstance(given, str) else given


@EACH
def test_passages_and_questions_are_embedded_by_it(hub, name):
    made = hub("embedders", name)
    made.swap()
    code, told = filled(made)
    assert code == 0, told
    assert made.provider.refused == []
    of_passages = [request.body for request in made.provider.asked]
    answer = asked()

    assert answer.degraded == []
    assert {leg.name: leg.used for leg in answer.legs} == {"dense": True, "sparse": True}
    assert FACT in answer.citations[0].text
    of_question = made.provider.asked[-1].body
    assert texts(of_question) == [QUESTION]
    assert any(FACT in text for body in of_passages for text in texts(body))
    field, passage, question = TOLD.get(name, ("", None, None))
    assert {body.get(field) for body in of_passages} == {passage}
    assert of_question.get(field) == question
    assert KEY.encode() not in made.kept()
    code, told = made.khub("doctor", "--full")
    assert code == 0, told


@EACH
def test_without_the_server_the_keyword_leg_answers_and_says_so(hub, name):
    made = hub("embedders", name)
    made.swap()
    assert filled(made)[0] == 0
    made.provider.fails = 500
    answer = asked()

    (entry,) = answer.degraded
    assert entry.stage == "dense"
    assert FACT in answer.citations[0].text


@pytest.mark.parametrize("name", WITH_KEY)
def test_a_wrong_key_ends_an_ingest_with_one_line_and_the_right_one_goes_on(hub, name):
    made = hub("embedders", name)
    made.swap()
    made.patch.setenv(made.variable, "wrong-key-99e1f0ab35")
    code, told = filled(made)

    assert code == 1
    assert_told(told, name, "answers 401", "put a key of this server into the variable that the graph names")
    assert b"wrong-key-99e1f0ab35" not in made.kept()
    made.patch.setenv(made.variable, KEY)
    made.refuse("overlap: 150", "overlap: 140")  # another process would read the key anew, and know no failure
    model_server._servers.clear()
    code, told = filled(made)
    assert code == 0, told


@EACH
def test_a_limit_of_calls_ends_an_ingest_with_one_line(hub, name):
    made = hub("embedders", name)
    made.patch.setenv("OPENAI_MAX_RETRIES", "0")
    made.swap()
    made.provider.fails = 429
    code, told = filled(made)

    assert code == 1
    assert_told(told, name, "answers 429", "ask less often, or raise the account's limit")


def assert_told(told: str, name: str, what: str, remedy: str) -> None:
    lines = [line for line in told.splitlines() if "failed: embed" in line or "not asked: " in line]
    assert 1 <= len(lines) <= 2  # of each file, or of both where they failed alike
    assert all(any(file in line for line in lines) for file in FILES), told
    for line in lines:
        assert name == "Jina" or (what in line and line.endswith(remedy)), told  # its integration keeps no status
    assert "Traceback" not in told


@pytest.fixture
def tiny(tmp_path, hub, monkeypatch):
    """A function: a hub whose ingest graph names a tiny model, and what that was given."""
    pytest.importorskip("sentence_transformers")
    import sentence_transformers

    given: list[str] = []
    encode = sentence_transformers.SentenceTransformer.encode

    def noted(self, sentences, *arguments, **more):
        prompt = self.prompts.get(more.get("prompt_name"), "")
        given.extend(prompt + text for text in sentences)
        return encode(self, sentences, *arguments, **more)

    monkeypatch.setattr(sentence_transformers.SentenceTransformer, "encode", noted)

    def make(name: str, model: str):
        made = hub("embedders", name)
        folder = write_sentence_transformer(tmp_path / "tiny", {"query": "Question: "})
        made.swap()
        made.refuse(model, str(folder))
        given.clear()  # a saved model embeds examples for its card
        return made, given

    return make


@pytest.mark.parametrize(
    ("name", "model", "of_passage", "of_question"),
    [
        ("sentence-transformers", "intfloat/multilingual-e5-small", "passage: ", "query: "),
        ("sentence-transformers with a prompt", "Qwen/Qwen3-Embedding-0.6B", "", "Question: "),
    ],
)
def test_a_local_model_is_told_what_is_a_question(tiny, name, model, of_passage, of_question):
    made, given = tiny(name, model)
    code, told = filled(made)
    assert code == 0, told
    of_passages = list(given)
    answer = asked()

    assert answer.degraded == []
    assert [text for text in of_passages if not text.startswith((f"{of_passage}Ember", f"{of_passage}Heron"))] == []
    assert given[len(of_passages) :] == [f"{of_question}{QUESTION}"]
