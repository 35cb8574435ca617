import math
from pathlib import Path

import pytest
from tiny_onnx import write_model

from khub.components.embedders.text_embedder import TextEmbedder
from khub.components.errors import KhubError

pytestmark = pytest.mark.unit


def test_embedding_is_a_list_of_unit_length():
    embedding = TextEmbedder().run("How long is the warranty?")["embedding"]
    assert isinstance(embedding, list)
    assert len(embedding) == 384
    assert all(isinstance(value, float) for value in embedding)
    assert math.isclose(sum(value * value for value in embedding), 1, abs_tol=1e-5)
    assert embedding == TextEmbedder().run("How long is the warranty?")["embedding"]


def test_without_a_prefix_that_of_the_model_for_questions_is_taken(tmp_path: Path):
    model = str(write_model(tmp_path, config={"query_prefix": "tern ", "passage_prefix": "heron "}))
    own, none, other = (TextEmbedder(model, prefix=prefix).run("dives") for prefix in (None, "", "swift "))
    assert own == TextEmbedder(model, prefix="").run("tern dives")
    assert other == TextEmbedder(model, prefix="").run("swift dives")
    assert own != none


def test_init_does_not_look_for_the_model():
    embedder = TextEmbedder(model="no-such-model")
    with pytest.raises(KhubError, match=r"no-such-model.*khub-base"):
        embedder.warm_up()
    with pytest.raises(KhubError, match="no-such-model"):
        embedder.run("text")


def test_properties_after_warm_up():
    embedder = TextEmbedder()
    embedder.warm_up()
    embedder.warm_up()
    assert embedder.languages == ("en", "zh")
    assert embedder.dimension == 384
    assert len(embedder.fingerprint) == 16
