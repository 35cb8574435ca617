"""One window through a graph: inputs, outputs, pooling, and what is refused."""

import sys
from pathlib import Path

import numpy as np
import pytest
from tiny_onnx import ROWS, TYPES, graph, mean_of, write_model

from khub.components.embedders.onnx_graph import OnnxGraph, unit
from khub.components.errors import MissingLibraryError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit
IDS = np.array([2, 6, 7, 3])


def load(folder: Path, **kinds) -> OnnxGraph:
    return OnnxGraph(write_model(folder, **kinds) / "model.onnx", folder, np.array([2, 3]))


def at_unit_length(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def test_mean_over_the_tokens(tmp_path: Path):
    loaded = load(tmp_path)
    vector = loaded.embed(IDS)
    assert (vector.dtype, vector.shape, loaded.dimension) == (np.float32, (8,), 8)
    np.testing.assert_allclose(vector, mean_of("heron", "wades"), atol=1e-6)
    assert loaded.pooling_file is None


@pytest.mark.parametrize(
    ("pooling", "first_token"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, True),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True, "include_prompt": True}, False),
        ({"pooling_mode": "cls"}, True),
        ({"pooling_mode": "mean"}, False),
    ],
)
def test_pooling_as_sentence_transformers_wrote_it(tmp_path: Path, pooling: dict, first_token: bool):
    loaded = load(tmp_path, pooling=pooling)
    expected = at_unit_length(ROWS[2]) if first_token else mean_of("heron", "wades")
    np.testing.assert_allclose(loaded.embed(IDS), expected, atol=1e-6)
    assert loaded.pooling_file == tmp_path / "1_Pooling" / "config.json"


@pytest.mark.parametrize(
    "pooling",
    [
        {"pooling_mode_max_tokens": True},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        {"pooling_mode_mean_tokens": False},
        {"pooling_mode": "lasttoken"},
    ],
)
def test_pooling_that_is_not_known_is_refused(tmp_path: Path, pooling: dict):
    with raises_code("model_damaged", "1_Pooling", "cls"):
        load(tmp_path, pooling=pooling)


@pytest.mark.parametrize("outputs", [("pooler_output",), ("last_hidden_state", "sentence_embedding")])
def test_output_that_is_a_vector_already(tmp_path: Path, outputs: tuple[str, ...]):
    loaded = load(tmp_path, outputs=outputs, pooling={"pooling_mode_cls_token": True})
    np.testing.assert_allclose(loaded.embed(IDS), at_unit_length(ROWS[IDS].max(axis=0)), atol=1e-6)
    assert loaded.pooling_file is None


def test_tokens_go_before_a_vector_of_another_purpose(tmp_path: Path):
    loaded = load(tmp_path, outputs=("pooler_output", "last_hidden_state"))
    np.testing.assert_allclose(loaded.embed(IDS), mean_of("heron", "wades"), atol=1e-6)


def test_token_types_are_zero(tmp_path: Path):
    loaded = load(tmp_path, inputs=("input_ids", "token_type_ids", "attention_mask"))
    np.testing.assert_allclose(loaded.embed(IDS), at_unit_length((ROWS[IDS] + TYPES[0]).mean(axis=0)), atol=1e-6)


def test_graph_without_a_mask(tmp_path: Path):
    np.testing.assert_allclose(load(tmp_path, inputs=("input_ids",)).embed(IDS), mean_of("heron", "wades"), atol=1e-6)


@pytest.mark.parametrize("inputs", [("input_ids", "pixels"), ("attention_mask",)])
def test_inputs_that_are_not_known_are_refused(tmp_path: Path, inputs: tuple[str, ...]):
    file = write_model(tmp_path, inputs=("input_ids", *inputs[-1:])) / "model.onnx"
    if "input_ids" not in inputs:
        file.write_bytes(graph().replace(b"input_ids", b"other_ids"))
    with raises_code(
        "model_damaged", "model.onnx", "pixels" if "pixels" in inputs else "other_ids", "input_ids, attention_mask"
    ):
        OnnxGraph(file, tmp_path, np.array([2, 3]))


def test_outputs_that_are_not_known_are_refused(tmp_path: Path):
    with raises_code("model_damaged", "model.onnx", "logits (2, 8)"):
        load(tmp_path, outputs=("logits",))


def test_window_that_the_graph_cannot_take(tmp_path: Path):
    with raises_code("model_damaged", "2 tokens", "up to 3", "max_tokens"):
        load(tmp_path, length=4)
    loaded = load(tmp_path)
    with raises_code("model_damaged", "1 tokens", "up to 999"):
        loaded.embed(np.array([999]))


def test_numbers_that_are_no_vector(tmp_path: Path):
    rows = ROWS.copy()
    rows[6] = np.nan
    with raises_code("model_damaged", "model.onnx", "not finite"):
        load(tmp_path, rows=rows).embed(IDS)


@pytest.mark.parametrize("content", [b"", b"no graph", "half"])
def test_damaged_graph_is_named_with_a_remedy(tmp_path: Path, content: bytes | str):
    file = write_model(tmp_path) / "model.onnx"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2] if isinstance(content, str) else content)
    with raises_code("model_damaged") as caught:
        OnnxGraph(file, tmp_path, np.array([2, 3]))
    assert f"{file} is damaged" in caught.value.message
    assert "\n" not in caught.value.message
    assert not isinstance(caught.value, MissingLibraryError)


def test_missing_library_is_told_with_both_ways_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with raises_code("library_missing", "khub-fast", "pip install onnxruntime"):
        load(tmp_path)


def test_unit_length():
    np.testing.assert_allclose(unit(np.array([3.0, 4.0])), [0.6, 0.8], atol=1e-6)
    assert unit(np.zeros(3)).tolist() == [1, 0, 0]
    assert unit(np.array([3.0, 4.0])).dtype == np.float32
