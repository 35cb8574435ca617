"""The graph that is built gives the vectors that the encoder's arithmetic gives."""

import math
from pathlib import Path

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="onnx builds the graph of khub-base: pip install -e '.[test]'")

from khub.components.embedders.onnx_model import OnnxModel  # noqa: E402 - needs what may be missing
from khub.components.embedders.piece_tokenizer import PieceTokenizer  # noqa: E402
from khub.eval.lab.models import build_base  # noqa: E402
from khub.eval.lab.models.base_tokenizer import SPECIAL  # noqa: E402
from khub.eval.lab.models.build_base import measure_correction, measure_ranges, write_model  # noqa: E402
from khub.eval.lab.models.e5_weights import Encoder  # noqa: E402
from khub.eval.lab.models.encoder_graph import EPSILON, HEADS, Correction  # noqa: E402

pytestmark = pytest.mark.unit
WIDTH, WIDE, LAYERS, POSITIONS = 384, 96, 2, 512
PIECES = [*SPECIAL, "▁", *"abcdefghijklmnopqrstuvwxyz", *"苍鹭在水中网关重启", "▁the", "苍鹭", "▁query", ":"]
TEXTS = ["the heron", "苍鹭在水中", "the 网关 z", "a", "", "network gateway restarts 重启 " * 5]
DENSE = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")


def random_encoder() -> Encoder:
    chosen = np.random.default_rng(3)

    def normal(*shape: int, scale: float = 0.05) -> np.ndarray:
        return (scale * chosen.standard_normal(shape)).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": normal(len(PIECES), WIDTH, scale=1),
        "embeddings.position_embeddings.weight": normal(POSITIONS, WIDTH, scale=0.3),
        "embeddings.token_type_embeddings.weight": normal(2, WIDTH, scale=0.3),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        shapes = {f"{layer}.{part}": (WIDTH, WIDTH) for part in DENSE}
        shapes |= {f"{layer}.intermediate.dense": (WIDE, WIDTH), f"{layer}.output.dense": (WIDTH, WIDE)}
        for name, shape in shapes.items():
            weights |= {f"{name}.weight": normal(*shape, scale=0.08), f"{name}.bias": normal(shape[0], scale=0.2)}
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        weights |= {f"{name}.weight": 1 + normal(WIDTH, scale=0.2), f"{name}.bias": normal(WIDTH, scale=0.2)}
    return Encoder(weights, [(piece, -2.0 - place / 7) for place, piece in enumerate(PIECES)])


def forward(weights: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """The mean over the tokens of the last layer, at unit length: a BERT encoder written down plainly."""

    def dense(values: np.ndarray, name: str) -> np.ndarray:
        return values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def normalised(values: np.ndarray, name: str) -> np.ndarray:
        spread = np.sqrt(values.var(axis=-1, keepdims=True) + EPSILON)
        centred = values - values.mean(axis=-1, keepdims=True)
        return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def heads(values: np.ndarray) -> np.ndarray:
        return values.reshape(len(ids), HEADS, -1).transpose(1, 0, 2)

    def softmax(values: np.ndarray) -> np.ndarray:
        powers = np.exp(values - values.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    placed = weights["embeddings.position_embeddings.weight"][: len(ids)]
    typed = weights["embeddings.token_type_embeddings.weight"][0]
    hidden = normalised(weights["embeddings.word_embeddings.weight"][ids] + placed + typed, "embeddings.LayerNorm")
    for layer in (f"encoder.layer.{number}" for number in range(LAYERS)):
        query, key, value = (heads(dense(hidden, f"{layer}.{part}")) for part in DENSE[:3])
        attended = softmax(query @ key.transpose(0, 2, 1) / math.sqrt(WIDTH / HEADS)) @ value
        mixed = dense(attended.transpose(1, 0, 2).reshape(len(ids), WIDTH), f"{layer}.{DENSE[3]}")
        hidden = normalised(mixed + hidden, f"{layer}.attention.output.LayerNorm")
        wide = dense(hidden, f"{layer}.intermediate.dense")
        active = 0.5 * wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        hidden = normalised(dense(active, f"{layer}.output.dense") + hidden, f"{layer}.output.LayerNorm")
    mean = hidden.mean(axis=0)
    return mean / np.linalg.norm(mean)


def expected(encoder: Encoder, pieces: list[str], folder: Path, correction: Correction | None) -> np.ndarray:
    """The vectors of `TEXTS`, from the rows of the whole vocabulary."""
    rows = [PIECES.index(piece) for piece in pieces]
    vectors = []
    for ids in PieceTokenizer(folder).encode(TEXTS):
        vector = forward(encoder.weights, [rows[number] for number in (0, *ids, 2)])
        if correction:
            vector = vector - correction.center
            vector -= correction.direction * (vector @ correction.direction)
        vectors.append(vector / np.linalg.norm(vector))
    return np.array(vectors)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return random_encoder()


@pytest.fixture(scope="module")
def correction(encoder: Encoder) -> Correction:
    chosen = np.random.default_rng(4).standard_normal((2, WIDTH)).astype(np.float32)
    center, direction = chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
    return Correction(center / 2, direction)


@pytest.mark.parametrize("corrected", [False, True])
def test_the_graph_computes_what_the_encoder_does(encoder, correction, tmp_path, corrected):
    taken = correction if corrected else None
    write_model(encoder, PIECES, tmp_path, largest=0, correction=taken)
    vectors = OnnxModel(tmp_path).encode(TEXTS)
    np.testing.assert_allclose(vectors, expected(encoder, PIECES, tmp_path, taken), atol=1e-4)


@pytest.mark.parametrize("largest", [63, 127])
def test_quantised_weights_turn_a_vector_little(encoder, correction, tmp_path, largest):
    write_model(encoder, PIECES, tmp_path, largest=largest, correction=correction)
    vectors = OnnxModel(tmp_path).encode(TEXTS)
    assert (vectors * expected(encoder, PIECES, tmp_path, correction)).sum(axis=1).min() > 0.99
    stored = {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(tmp_path / "model.onnx").graph.initializer}
    products = [values for name, values in stored.items() if name.endswith(".weight") and values.dtype == np.int8]
    assert len(products) == 4 * LAYERS
    assert {int(np.abs(values.astype(int)).max()) for values in products} == {largest}


def test_pieces_that_are_left_out_move_no_other(encoder, tmp_path):
    kept = [piece for piece in PIECES if piece not in ("苍鹭", "q", "e")]
    write_model(encoder, kept, tmp_path, largest=0, correction=None)
    np.testing.assert_allclose(OnnxModel(tmp_path).encode(TEXTS), expected(encoder, kept, tmp_path, None), atol=1e-4)


def test_the_settings_say_prefixes_languages_and_window(encoder, tmp_path):
    write_model(encoder, PIECES, tmp_path, largest=63, correction=None)
    model = OnnxModel(tmp_path)
    assert model.prefixes == ("query: ", "passage: ")
    assert model.languages == ("en", "zh")
    assert len(model._windows(np.zeros(510))) == 1
    assert len(model._windows(np.zeros(511))) == 2


def test_the_same_weights_give_the_same_files(encoder, correction, tmp_path):
    for name in ("one", "two"):
        write_model(encoder, PIECES, tmp_path / name, largest=63, correction=correction)
    files = [{file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("one", "two")]
    assert files[0] == files[1]
    assert set(files[0]) == {"model.onnx", "tokenizer.json", "config.json"}


def with_a_few_large_channels(encoder: Encoder) -> Encoder:
    """The same model with normalisations that make some channels a hundred times as large as the others."""
    weights = dict(encoder.weights)
    for name in [name for name in weights if name.endswith("LayerNorm.weight")]:
        weights[name] = weights[name].copy()
        weights[name][::97] *= 100
    return Encoder(weights, encoder.pieces)


def test_the_ranges_are_the_largest_inputs_of_each_product(encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(build_base, "PAIRS", 8)
    large = with_a_few_large_channels(encoder)
    write_model(large, PIECES, tmp_path, largest=0)
    ranges = measure_ranges(tmp_path)
    assert len(ranges) == 4 * LAYERS
    into_first = ranges["layer0.qkv"]
    assert into_first.shape == (WIDTH,)
    assert np.median(into_first[::97]) > 20 * np.median(into_first)


def test_smoothing_leaves_the_arithmetic_and_loses_less_of_it(encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(build_base, "PAIRS", 8)
    large = with_a_few_large_channels(encoder)
    write_model(large, PIECES, tmp_path / "whole", largest=0)
    ranges = measure_ranges(tmp_path / "whole")
    whole = OnnxModel(tmp_path / "whole").encode(TEXTS)
    write_model(large, PIECES, tmp_path / "smooth", largest=0, ranges=ranges)
    np.testing.assert_allclose(OnnxModel(tmp_path / "smooth").encode(TEXTS), whole, atol=1e-4)
    lost = {}
    for name, given in (("plain", None), ("smooth", ranges)):
        write_model(large, PIECES, tmp_path / name, largest=63, ranges=given)
        lost[name] = 1 - float((OnnxModel(tmp_path / name).encode(TEXTS) * whole).sum(axis=1).mean())
    assert lost["smooth"] < lost["plain"] / 2


def test_the_correction_is_the_mean_and_what_chinese_has_apart(encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(build_base, "PAIRS", 8)
    write_model(encoder, PIECES, tmp_path / "raw", largest=0, correction=None)
    raw = OnnxModel(tmp_path / "raw")
    found, half = (measure_correction(raw, share) for share in (1.0, 0.5))
    assert np.linalg.norm(found.direction) == pytest.approx(1, abs=1e-5)
    np.testing.assert_allclose(half.center, found.center / 2, atol=1e-6)
    write_model(encoder, PIECES, tmp_path / "corrected", largest=0, correction=found)
    assert np.abs(raw.encode(TEXTS) @ found.direction).max() > 0.01
    np.testing.assert_allclose(OnnxModel(tmp_path / "corrected").encode(TEXTS) @ found.direction, 0, atol=1e-5)
