"""Going on from a base model that was exported."""

import json

import pytest

pytestmark = pytest.mark.unit

onnx = pytest.importorskip("onnx", reason="training needs onnx and torch, which no extra installs")
torch = pytest.importorskip("torch", reason="training needs onnx and torch, which no extra installs")

PIECES = [["<unk>", 0.0], ["机场", -1.0], ["机", -2.0]]


def test_rows_of_chinese_pieces_are_read_back(tmp_path):
    from eval.models.train_base import trained_rows

    weights = {"rows": torch.tensor([[9, 9], [0, 0], [2, 4], [1, 0]], dtype=torch.int8), "scales": torch.ones(4, 1) / 2}
    tensors = [onnx.numpy_helper.from_array(tensor.numpy(), name) for name, tensor in weights.items()]
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph([], "model", [], [], tensors)), tmp_path / "model.onnx")
    (tmp_path / "config.json").write_text(json.dumps({"han_offset": 1}), "utf-8")
    han = {"version": "1.0", "added_tokens": [], "model": {"type": "Unigram", "unk_id": 0, "vocab": PIECES}}
    (tmp_path / "han.json").write_text(json.dumps(han), "utf-8")
    rows = trained_rows(tmp_path)
    assert {piece: row.tolist() for piece, row in rows.items()} == {"<unk>": [0, 0], "机场": [1, 2], "机": [0.5, 0]}
