"""The teacher's wrapper, by stand-ins for the two large libraries, which tests do not install."""

import sys
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from components.errors import KhubError
from eval.models.reference_model import ReferenceModel

pytestmark = pytest.mark.unit


class Autocast:
    """What torch computes in while the block runs."""

    current = "float32"

    def __init__(self, device, dtype, enabled):
        assert device == "cpu"
        self.dtype = dtype if enabled else "float32"

    def __enter__(self):
        type(self).current = self.dtype

    def __exit__(self, *error):
        type(self).current = "float32"


class Transformer:
    """Remembers how it was made and called."""

    made: ClassVar[list] = []

    def __init__(self, *arguments, **options):
        self.made.append((arguments, options))

    max_seq_length = 6
    precisions: ClassVar[list] = []

    def encode(self, texts, **options):
        assert options == {"normalize_embeddings": True, "convert_to_numpy": True, "show_progress_bar": False}
        self.precisions.append(Autocast.current)
        rows = np.tile(np.eye(1, 5, dtype=np.float32), (len(texts), 1))
        for row, text in zip(rows, texts, strict=True):
            row[1] = len(text)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def tokenizer(self, text, **options):
        assert options == {"add_special_tokens": False, "return_offsets_mapping": True}
        return {"offset_mapping": [(place, place + 1) for place, mark in enumerate(text) if mark != " "]}


@pytest.fixture
def threads(monkeypatch):
    """Return the list of numbers that torch was told."""
    told = []
    torch = SimpleNamespace(set_num_threads=told.append, autocast=Autocast, bfloat16="bfloat16")
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Transformer))
    monkeypatch.setattr("eval.models.reference_model.available_cores", lambda: 7)
    monkeypatch.setattr(Transformer, "made", [])
    monkeypatch.setattr(Transformer, "precisions", [])
    return told


@pytest.mark.parametrize(("given", "used"), [(3, 3), (0, 7)])
def test_torch_gets_the_same_threads(threads, tmp_path, given, used):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    model = ReferenceModel(tmp_path, given)
    assert threads == [used]
    assert Transformer.made == [((str(tmp_path),), {"device": "cpu", "local_files_only": True})]
    assert model.dimension == 5
    assert len(model.fingerprint) == 16
    assert model.encode(("a", "b")).shape == (2, 5)


@pytest.mark.parametrize(("bfloat16", "precision"), [(True, "bfloat16"), (False, "float32")])
def test_the_precision_is_that_which_is_wanted(threads, tmp_path, bfloat16, precision):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    ReferenceModel(tmp_path, 1, bfloat16=bfloat16)
    assert Transformer.precisions == [precision]


def test_a_folder_without_the_model_is_told(threads, tmp_path):
    with pytest.raises(KhubError, match=r"has no model\.safetensors"):
        ReferenceModel(tmp_path, 1)


def test_whole_texts_go_window_by_window(threads, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    cut, whole = (ReferenceModel(tmp_path, 1, whole) for whole in (False, True))
    texts = ["ab", "", "abcd efgh i"]
    vectors = whole.encode(texts)
    np.testing.assert_allclose(vectors[:2], cut.encode(texts[:2]))
    parts = cut.encode(["abcd ", "efgh ", "i"]).sum(axis=0)
    np.testing.assert_allclose(vectors[2], parts / np.linalg.norm(parts), rtol=1e-6)
