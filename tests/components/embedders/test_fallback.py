"""Both embedders on a machine without onnxruntime: the stand-in is used, named, logged once."""

import logging
import sys
import threading
from pathlib import Path

import pytest
from haystack import Document, Pipeline
from tiny_onnx import write_model

from khub.components.embedders.document_embedder import DocumentEmbedder
from khub.components.embedders.embedder_identity import describe, document_fingerprint, identity_of, same_space
from khub.components.embedders.model_folder import _load, load_model
from khub.components.embedders.model_holder import ModelHolder
from khub.components.embedders.text_embedder import TextEmbedder
from khub.components.errors import KhubError, MissingLibraryError

pytestmark = pytest.mark.unit
FAST = "khub-fast"
BOTH = pytest.mark.parametrize("embedder", [TextEmbedder, DocumentEmbedder])


@pytest.fixture
def encoder(tmp_path: Path) -> str:
    return str(write_model(tmp_path))


@pytest.fixture
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    _load.cache_clear()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)


def vector(embedder: object) -> list[float]:
    if isinstance(embedder, TextEmbedder):
        return embedder.run("the heron")["embedding"]
    return embedder.run([Document(content="the heron")])["documents"][0].embedding


@BOTH
def test_fallback_is_not_used_where_the_model_runs(encoder: str, embedder: type):
    component = embedder(model=encoder, fallback=FAST)
    assert component.replaced is None
    assert component.dimension == 8
    assert vector(component) == vector(embedder(model=encoder))
    assert identity_of(component)["model"] == encoder


@BOTH
def test_fallback_is_what_it_says_it_is(encoder: str, embedder: type, no_library: None):
    component, fast = embedder(model=encoder, fallback=FAST), embedder(model=FAST)
    assert component.replaced.startswith(f"{FAST} stands in for {encoder}: ")
    assert "onnxruntime" in component.replaced
    assert fast.replaced is None
    for name in ("fingerprint", "languages", "dimension"):
        assert getattr(component, name) == getattr(fast, name)
    assert vector(component) == vector(fast)
    assert identity_of(component) == identity_of(fast)
    assert describe(identity_of(component)) == FAST
    assert document_fingerprint(component) == document_fingerprint(fast)


def test_identity_differs_from_that_of_the_model_itself(encoder: str, monkeypatch: pytest.MonkeyPatch):
    ours = identity_of(DocumentEmbedder(model=encoder, fallback=FAST))
    _load.cache_clear()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert not same_space(ours, identity_of(TextEmbedder(model=encoder, fallback=FAST)))


@BOTH
def test_without_a_fallback_the_missing_library_is_an_error(encoder: str, embedder: type, no_library: None):
    with pytest.raises(MissingLibraryError, match="pip install onnxruntime"):
        embedder(model=encoder).warm_up()
    with pytest.raises(KhubError, match="no embedding model 'nowhere'"):
        embedder(model=encoder, fallback="nowhere").warm_up()


@BOTH
def test_damaged_model_is_no_reason_for_the_fallback(encoder: str, embedder: type):
    (Path(encoder) / "model.onnx").write_bytes(b"half")
    with pytest.raises(KhubError, match="is damaged"):
        embedder(model=encoder, fallback=FAST).warm_up()


@BOTH
def test_warning_is_logged_once(encoder: str, embedder: type, no_library: None, caplog: pytest.LogCaptureFixture):
    component = embedder(model=encoder, fallback=FAST)
    with caplog.at_level(logging.WARNING):
        threads = [threading.Thread(target=component.warm_up) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        vector(component)
    logged = [record for record in caplog.records if record.name == ModelHolder.__module__]
    assert [record.getMessage() for record in logged] == [component.replaced]


@BOTH
def test_threads_reach_the_model(encoder: str, embedder: type):
    component = embedder(model=encoder, threads=3)
    assert component._warm() is load_model(encoder, 3)
    assert component._warm() is not embedder(model=encoder)._warm()
    with pytest.raises(KhubError, match="threads are -2"):
        embedder(threads=-2).warm_up()


@BOTH
def test_survives_yaml(encoder: str, embedder: type):
    pipeline = Pipeline()
    pipeline.add_component("embed", embedder(model=encoder, threads=2, fallback=FAST, prefix="p: "))
    restored = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.components.*"]).get_component("embed")
    assert (restored.model, restored.threads, restored.fallback, restored.prefix) == (encoder, 2, FAST, "p: ")
