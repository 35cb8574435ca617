"""An encoder helped by a static model: the arithmetic, the settings that ask for it, and what is wrong with them."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tiny_onnx import DIMENSION, WORDS, word_tokenizer, write_model

from components.embedders.blended_model import Blend, BlendedModel, read_blend
from components.embedders.model_folder import load_model
from components.embedders.onnx_model import OnnxModel
from components.errors import KhubError

pytestmark = pytest.mark.unit
TEXTS = ["the heron wades", "swift", "", "a heron sleeps" * 40]


def write_static(folder: Path, seed: int = 1, dimension: int = DIMENSION) -> Path:
    folder.mkdir(exist_ok=True)
    rows = np.random.default_rng(seed).standard_normal((len(WORDS), dimension)).astype(np.float32)
    save_file({"embeddings": rows}, folder / "model.safetensors")
    word_tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text("{}", encoding="utf-8")
    return folder


def write_encoder(folder: Path, blend: object = None) -> Path:
    write_model(folder)
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(settings | {"blend": blend}), encoding="utf-8")
    return folder


def blended(tmp_path: Path, weight: float = 0.5, model: str = "static") -> BlendedModel:
    write_static(tmp_path / "static")
    folder = write_encoder(tmp_path / "encoder", {"model": model, "weight": weight})
    loaded = load_model(str(folder))
    assert isinstance(loaded, BlendedModel)
    return loaded


def test_vector_is_the_weighted_sum_at_unit_length(tmp_path: Path):
    model = blended(tmp_path, 0.25)
    encoder = load_model(str(write_encoder(tmp_path / "alone"))).encode(TEXTS)
    static = load_model(str(tmp_path / "static")).encode(TEXTS)
    expected = encoder + 0.25 * static
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(model.encode(TEXTS), expected, atol=1e-6)
    assert model.encode(TEXTS).dtype == np.float32
    assert model.dimension == DIMENSION
    assert model.languages == load_model(str(tmp_path / "alone")).languages


def test_vector_of_a_text_does_not_depend_on_the_others(tmp_path: Path):
    model = blended(tmp_path)
    together = model.encode(TEXTS)
    for place, text in enumerate(TEXTS):
        assert np.array_equal(together[place], model.encode([text])[0])


def test_without_the_key_the_encoder_stays_alone(tmp_path: Path):
    assert isinstance(load_model(str(write_encoder(tmp_path / "encoder"))), OnnxModel)
    assert read_blend(tmp_path / "encoder" / "config.json") is None


def test_fingerprint_follows_weight_and_both_models(tmp_path: Path):
    first = blended(tmp_path, 0.5)
    assert load_model(str(tmp_path / "encoder")) is first
    other_weight = blended(tmp_path, 0.25)
    write_static(tmp_path / "static", seed=2)
    other_static = load_model(str(tmp_path / "encoder"))
    alone = load_model(str(write_encoder(tmp_path / "alone")))
    assert len({first.fingerprint, other_weight.fingerprint, other_static.fingerprint, alone.fingerprint}) == 4
    assert not np.array_equal(other_weight.encode(TEXTS), other_static.encode(TEXTS))


def test_partner_is_named_as_any_model_or_lies_beside_the_folder(tmp_path: Path):
    beside = blended(tmp_path)
    by_path = blended(tmp_path, model=str(tmp_path / "static"))
    assert np.array_equal(beside.encode(TEXTS), by_path.encode(TEXTS))


@pytest.mark.parametrize(
    ("blend", "reason"),
    [
        ("khub-fast", "has to name a 'model' and its 'weight'"),
        ({"model": "static"}, "has to name a 'model' and its 'weight'"),
        ({"model": 3, "weight": 0.5}, "has to name a 'model' and its 'weight'"),
        ({"model": "static", "weight": "0.5"}, "'weight' of 'blend' is '0.5'"),
        ({"model": "static", "weight": 1}, "has to be above 0 and below 1"),
        ({"model": "static", "weight": 0}, "has to be above 0 and below 1"),
        ({"model": "static", "weight": True}, "'weight' of 'blend' is True"),
        ({"model": "encoder", "weight": 0.5}, "names encoder, which is no static model"),
        ({"model": "khub-fast", "weight": 0.5}, "names a model of 384 numbers a vector, not 8"),
        ({"model": "nowhere", "weight": 0.5}, "there is no embedding model 'nowhere'"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, blend: object, reason: str):
    write_static(tmp_path / "static")
    folder = write_encoder(tmp_path / "encoder", blend)
    with pytest.raises(KhubError) as caught:
        load_model(str(folder))
    assert reason in caught.value.message
    assert caught.value.remedy


def test_blend_is_read_from_the_settings(tmp_path: Path):
    folder = write_encoder(tmp_path / "encoder", {"model": "static", "weight": 0.75})
    assert read_blend(folder / "config.json") == Blend("static", 0.75)
