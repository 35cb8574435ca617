"""What lies in a folder decides which model it is; one model a process; the stand-in for a missing library."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tiny_onnx import ROWS, WORDS, graph, word_tokenizer, write_model

from khub.components.embedders.model_folder import load_model
from khub.components.embedders.onnx_model import OnnxModel
from khub.components.embedders.static_model import StaticModel
from khub.components.errors import KhubError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def write_static(folder: Path, dimension: int = 4) -> Path:
    folder.mkdir(exist_ok=True)
    save_file({"embeddings": np.ones((len(WORDS), dimension), np.float32)}, folder / "model.safetensors")
    word_tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.mark.parametrize("place", ["model.onnx", "onnx/model.onnx"])
def test_graph_makes_an_onnx_model(tmp_path: Path, place: str):
    folder = write_model(write_static(tmp_path), place=place)  # as on a model hub: the same model in two formats
    assert isinstance(load_model(str(folder)), OnnxModel)


def test_rows_make_a_static_model(tmp_path: Path):
    assert isinstance(load_model(str(write_static(tmp_path))), StaticModel)


@pytest.mark.parametrize(
    ("files", "listed"),
    [
        ([], "holds no files"),
        (["pytorch_model.bin", "config.json"], "holds config.json, pytorch_model.bin"),
        ([f"{i}.txt" for i in range(11)], "6.txt and 3 other files"),
    ],
)
def test_folder_without_a_model_says_what_it_holds_and_what_it_should(tmp_path: Path, files: list, listed: str):
    for name in files:
        (tmp_path / name).write_text("", encoding="utf-8")
    with raises_code("model_damaged", listed, "onnx/model.onnx", "model.saf"):
        load_model(str(tmp_path))


def test_threads_make_a_model_of_its_own(tmp_path: Path):
    encoder, static = str(write_model(tmp_path / "onnx")), str(write_static(tmp_path / "static"))
    for folder in (encoder, static):
        assert load_model(folder, 2) is load_model(folder, 2)
        assert load_model(folder, 2) is not load_model(folder, 1)
    with pytest.raises(KhubError, match="threads are -1"):
        load_model(static, -1)


@pytest.mark.parametrize("name", ["onnx/model.onnx", "1_Pooling/config.json", "tokenizer.json"])
def test_folder_that_has_changed_is_read_anew(tmp_path: Path, name: str):
    write_model(tmp_path, place="onnx/model.onnx", pooling={"pooling_mode": "mean"})
    before = load_model(str(tmp_path))
    assert load_model(str(tmp_path)) is before
    if name.startswith("onnx"):
        (tmp_path / name).write_bytes(graph(rows=np.vstack([ROWS, ROWS])))
    else:
        content = (tmp_path / name).read_text(encoding="utf-8").replace("mean", "cls") + "\n"
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert load_model(str(tmp_path)).fingerprint != before.fingerprint
