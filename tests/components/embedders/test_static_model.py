import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from components.embedders.model_folder import SHIPPED, load_model, shipped_models
from components.embedders.static_model import StaticModel
from components.errors import KhubError

pytestmark = pytest.mark.unit
NAME = "minilm-static-en"


@pytest.fixture(scope="module")
def model() -> StaticModel:
    return StaticModel(SHIPPED / NAME)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED / NAME, tmp_path / "model"))


def test_vectors_are_float32_of_unit_length(model: StaticModel):
    vectors = model.encode(["How do I reset my password?", "Invoices are due within 30 days.", "x"])
    assert vectors.shape == (3, model.dimension) == (3, 256)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(model: StaticModel):
    assert model.encode([]).shape == (0, model.dimension)


def test_vector_is_the_weighted_mean_of_the_token_rows(model: StaticModel):
    tensors = load_file(SHIPPED / NAME / "model.safetensors")
    vocabulary = json.loads((SHIPPED / NAME / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    ids = [vocabulary[token] for token in ("the", "cat", "sat", "the")]
    mean = (tensors["embeddings"][ids].astype(np.float32) * tensors["weights"][ids, None]).mean(axis=0)
    np.testing.assert_allclose(model.encode(["The cat sat the"])[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_a_vector_does_not_depend_on_its_neighbours(model: StaticModel):
    texts = [f"sentence number {i} about {topic}" for i in range(150) for topic in ("rain", "tax law", "bread")]
    together = model.encode(texts)
    assert np.array_equal(together, np.vstack([model.encode([text]) for text in texts]))
    assert np.array_equal(together, model.encode(texts))


@pytest.mark.parametrize(
    ("question", "same", "other"),
    [
        ("How do I buy a car?", "Purchasing an automobile", "Baking bread at home"),
        ("The doctor treated the patient", "A physician cared for a sick person", "The court rejected the appeal"),
        ("staff salary increase", "employees get higher wages", "the volcano erupted"),
        ("How fast do airplanes fly?", "the speed of an aircraft", "the taste of cheese"),
    ],
)
def test_texts_that_mean_the_same_are_closer(model: StaticModel, question: str, same: str, other: str):
    vectors = model.encode([question, same, other])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


@pytest.mark.parametrize("text", ["", " \n\t", "😀🎉", "检索增强", "\u200b", "[UNK]", "x" * 5000])
def test_text_without_known_tokens_gets_the_vector_of_the_unknown_token(model: StaticModel, text: str):
    vector = model.encode([text])[0]
    row = load_file(SHIPPED / NAME / "model.safetensors")["embeddings"][100].astype(np.float32)
    np.testing.assert_allclose(vector, row / np.linalg.norm(row), atol=1e-6)
    assert abs(vector @ model.encode(["The invoice must be paid within thirty days of delivery."])[0]) < 0.2


def test_unknown_tokens_do_not_count(model: StaticModel):
    assert np.array_equal(*model.encode(["reset the password", "reset 🎉 the 检 password"]))


def test_half_a_surrogate_pair_is_no_reason_to_fail(model: StaticModel):
    vectors = model.encode(["broken \ud800 text", "sound text"])
    assert np.isfinite(vectors).all()
    assert np.array_equal(vectors[1], model.encode(["sound text"])[0])


def test_long_text_counts_to_its_end(model: StaticModel):
    start, end = "the harvest of wheat and barley. ", "satellites orbit distant planets. "
    text = start * (500_000 // len(start)) + end * (500_000 // len(end))
    vectors = model.encode([text, start, end])
    assert vectors[0] @ vectors[1] > 0.5
    assert vectors[0] @ vectors[2] > 0.5
    assert len(text) > 990_000


def test_properties(model: StaticModel):
    assert model.languages == ("en",)
    assert len(model.fingerprint) == 16
    assert int(model.fingerprint, 16) > 0
    assert model.fingerprint == StaticModel(SHIPPED / NAME).fingerprint


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_fingerprint_follows_the_files_that_decide_a_vector(model: StaticModel, folder: Path, name: str):
    if name == "model.safetensors":
        tensors = load_file(folder / name)
        tensors["weights"][5000] *= 2
        save_file(tensors, folder / name)
    else:
        tokenizer = json.loads((folder / name).read_text(encoding="utf-8"))
        tokenizer["normalizer"]["lowercase"] = False
        (folder / name).write_text(json.dumps(tokenizer), encoding="utf-8")
    assert StaticModel(folder).fingerprint != model.fingerprint


def test_float_rows_without_weights_are_read_too(folder: Path):
    save_file({"embeddings": np.eye(30522, 8, dtype=np.float16)[::-1].copy()}, folder / "model.safetensors")
    (folder / "config.json").write_text("{}", encoding="utf-8")
    model = StaticModel(folder)
    assert (model.dimension, model.languages) == (8, ())
    np.testing.assert_allclose(model.encode(["the", ""]), np.eye(1, 8).repeat(2, axis=0))


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("content", [None, b"", b"[]", b"\xff\xfe\x00", "half"])
def test_missing_or_damaged_file_is_named_with_a_remedy(folder: Path, name: str, content: bytes | str | None):
    path = folder / name
    if content is None:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] if isinstance(content, str) else content)
    with pytest.raises(KhubError) as caught:
        StaticModel(folder)
    assert str(path) in caught.value.message
    assert "copy the whole model folder again" in caught.value.remedy


@pytest.mark.parametrize(
    "tensors",
    [
        {"embeddings": np.ones((10, 4), np.int8)},
        {"embeddings": np.ones(30522, np.int8)},
        {"embeddings": np.ones((30522, 4), np.int8), "weights": np.ones(7, np.float32)},
        {"embeddings": np.full((30522, 4), np.nan, np.float32)},
        {"rows": np.ones((30522, 4), np.int8)},
    ],
)
def test_tensors_that_do_not_fit_are_refused(folder: Path, tensors: dict[str, np.ndarray]):
    save_file(tensors, folder / "model.safetensors")
    with pytest.raises(KhubError, match=r"model\.safetensors"):
        StaticModel(folder)


def test_a_folder_is_loaded_once_and_anew_when_it_changes(folder: Path):
    first: list[object] = []
    threads = [threading.Thread(target=lambda: first.append(load_model(str(folder)))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(first) == 8
    assert all(model is first[0] for model in first)
    save_file({"embeddings": np.ones((30522, 4), np.int8)}, folder / "model.safetensors")
    assert load_model(str(folder)).dimension == 4


def test_threads_share_a_model(model: StaticModel):
    texts = [f"passage {i} about gardens, taxes and trains" for i in range(300)]
    expected, results = model.encode(texts), []
    threads = [threading.Thread(target=lambda: results.append(model.encode(texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


def test_model_by_name_path_and_home(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.setenv("USERPROFILE", str(folder.parent))
    assert NAME in shipped_models()
    assert load_model("~/model") is load_model(str(folder))
    assert load_model(NAME).fingerprint == load_model(str(folder)).fingerprint


@pytest.mark.parametrize("name", ["minilm-static-de", "", "..", "/no/such/folder"])
def test_unknown_model_lists_the_shipped_ones(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(KhubError) as caught:
        load_model(name)
    assert NAME in caught.value.remedy or str(tmp_path.parent) in caught.value.message


def test_shipped_model_is_small_and_says_where_it_comes_from():
    folder = SHIPPED / NAME
    assert sum(path.stat().st_size for path in folder.iterdir()) < 9_000_000
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["source_model"] == "sentence-transformers/all-MiniLM-L6-v2"
    assert len(config["source_sha256"]) == 64
    assert "Apache License" in (folder / "NOTICE.txt").read_text(encoding="utf-8")


def test_no_large_library_is_loaded():
    code = (
        "import sys; from components.embedders.text_embedder import TextEmbedder; TextEmbedder().run('hello');"
        "large = {'torch', 'transformers', 'model2vec', 'sklearn', 'onnxruntime'};"
        "sys.stdout.write(','.join(large & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
