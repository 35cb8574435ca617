from pathlib import Path

import numpy as np
import pytest
from haystack import Document, Pipeline
from tiny_onnx import write_model

from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.embedders.prefixes import Prefixes
from khub.components.embedders.text_embedder import TextEmbedder
from khub.components.errors import KhubError
from khub.components.text.chunk_text import embedded_text
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def documents(count: int) -> list[Document]:
    return [Document(id=f"c{i}", content=f"Passage {i} on trains.", meta={"ordinal": i}) for i in range(count)]


def test_copies_get_the_vector_and_the_rest_stays():
    given = documents(3)
    result = DocumentEmbedder().run(given)["documents"]
    assert [document.embedding for document in given] == [None] * 3
    assert [(d.id, d.content, d.meta) for d in result] == [(d.id, d.content, d.meta) for d in given]
    for document in result:
        assert document.embedding == TextEmbedder(prefix="passage: ").run(document.content)["embedding"]
        assert isinstance(document.embedding[0], float)


def test_no_documents():
    assert DocumentEmbedder().run([]) == {"documents": []}


def test_document_without_text_gets_a_vector():
    vector = DocumentEmbedder().run([Document(content=None), Document(content="")])["documents"][0].embedding
    assert np.isclose(np.linalg.norm(vector), 1)


def test_title_and_heading_path_are_embedded_with_the_content():
    document = Document(content="text", meta={"title": "Manual", "section": "Setup > Network", "source": "/a/b.md"})
    embedding = DocumentEmbedder(prefix="").run([document])["documents"][0].embedding
    assert embedding == TextEmbedder(prefix="").run(embedded_text(document))["embedding"]
    assert embedding != TextEmbedder(prefix="").run("text")["embedding"]


def test_without_a_prefix_that_of_the_model_for_passages_is_taken(tmp_path: Path):
    model = str(write_model(tmp_path, config={"query_prefix": "tern ", "passage_prefix": "heron "}))
    document, plain = Document(content="dives"), TextEmbedder(model, prefix="")
    found = {
        prefix: DocumentEmbedder(model, prefix=prefix).run([document])["documents"][0].embedding
        for prefix in (None, "", "swift ")
    }
    texts = {None: "heron dives", "": "dives", "swift ": "swift dives"}
    assert found == {prefix: plain.run(text)["embedding"] for prefix, text in texts.items()}


@pytest.mark.parametrize(("batch_size", "expected"), [(2, [2, 2, 1]), (256, [5])])
def test_batch_size_is_what_the_model_gets_at_a_time(
    monkeypatch: pytest.MonkeyPatch, batch_size: int, expected: list[int]
):
    sizes: list[int] = []

    class Counting:
        prefixes = Prefixes()

        def encode(self, texts: list[str]) -> np.ndarray:
            sizes.append(len(texts))
            return np.full((len(texts), 2), 0.5, dtype=np.float32)

    monkeypatch.setattr("khub.components.embedders.model_holder.load_or_replace", lambda *_: (Counting(), None))
    result = DocumentEmbedder(batch_size=batch_size).run(documents(5))["documents"]
    assert sizes == expected
    assert [document.id for document in result] == ["c0", "c1", "c2", "c3", "c4"]


def test_wrong_parameters_are_reported_by_warm_up():
    with raises_code("graph_parameter_invalid", "batch_size of DocumentEmbedder is 0"):
        DocumentEmbedder(batch_size=0).warm_up()
    with pytest.raises(KhubError, match=r"no-such-model.*khub-base"):
        DocumentEmbedder(model="no-such-model").run(documents(1))


def test_survives_yaml():
    pipeline = Pipeline()
    pipeline.add_component("embed", DocumentEmbedder(prefix="passage: ", batch_size=7))
    restored = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*"]).get_component("embed")
    assert (restored.model, restored.prefix, restored.batch_size) == ("khub-base", "passage: ", 7)
    assert pipeline.run({"embed": {"documents": documents(2)}})["embed"] == restored.run(documents(2))
