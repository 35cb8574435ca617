"""Model folders with a real, tiny ONNX graph, written byte by byte (protocol buffers, the onnx.proto of opset 13)."""

import json
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

DIMENSION = 8
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "the", "heron", "wades", "swift", "sleeps", "tern", "dives", "##s", *"abc-7z", *"苍鹭在水中"]
FLOAT, INT8, INT64 = 1, 3, 7
KINDS = {np.dtype("f4"): FLOAT, np.dtype("i1"): INT8, np.dtype("i8"): INT64}
ROWS = np.random.default_rng(7).standard_normal((len(WORDS), DIMENSION)).astype(np.float32)
ROWS[WORDS.index("dives")] *= 4  # sets the scale of what it is quantised with
TYPES = np.random.default_rng(8).standard_normal((2, DIMENSION)).astype(np.float32)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def message(*fields: tuple[int, object]) -> bytes:
    """Protocol buffers: (field number, int, str or bytes) one after the other."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else bytes(value)
            out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def tensor(name: str, array: np.ndarray) -> bytes:
    dims = [(1, size) for size in array.shape]
    return message(*dims, (2, KINDS[array.dtype]), (8, name), (9, array.tobytes()))


def value(name: str, kind: int, shape: list[str | int]) -> bytes:
    dims = [(1, message((1 if isinstance(size, int) else 2, size))) for size in shape]
    return message((1, name), (2, message((1, message((1, kind), (2, message(*dims)))))))


def node(operator: str, inputs: str, outputs: str, **attributes: int | list[int]) -> bytes:
    given = []
    for name, content in attributes.items():
        numbers, kind = ([(8, n) for n in content], 7) if isinstance(content, list) else ([(3, content)], 2)
        given.append((5, message((1, name), *numbers, (20, kind))))
    named = [(1, name) for name in inputs.split()] + [(2, name) for name in outputs.split()]
    return message(*named, (4, operator), *given)


def graph(
    inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
    outputs: tuple[str, ...] = ("last_hidden_state",),
    rows: np.ndarray = ROWS,
    quantised: bool = False,
    length: str | int = "length",
) -> bytes:
    """An encoder: rows of the ids; quantised: then a dense layer in int8, scaled by all that is in the batch.

    Outputs: `last_hidden_state` (batch, length, dimension), `sentence_embedding` and `pooler_output` (the largest of
    each axis, batch x dimension), `logits` (length x dimension).
    """
    nodes = [node("Gather", "rows input_ids", "gathered")]
    if "token_type_ids" in inputs:
        nodes += [node("Gather", "types token_type_ids", "typed"), node("Add", "gathered typed", "sum")]
    nodes += [node("Identity", "sum" if "token_type_ids" in inputs else "gathered", "float")]
    if quantised:
        nodes += [
            node("DynamicQuantizeLinear", "float", "q scale zero"),
            node("MatMulInteger", "q layer zero", "product"),
            node("Cast", "product", "cast", to=FLOAT),
            node("Mul", "cast scale", "scaled"),
            node("Mul", "scaled layer_scale", "dense"),
            node("Tanh", "dense", "encoded"),
        ]
    else:
        nodes += [node("Identity", "float", "encoded")]
    if "attention_mask" in inputs:
        nodes += [
            node("Cast", "attention_mask", "mask", to=FLOAT),
            node("Unsqueeze", "mask last", "mask3"),
            node("Mul", "encoded mask3", "last_hidden_state"),
        ]
    else:
        nodes += [node("Identity", "encoded", "last_hidden_state")]
    nodes += [
        node("ReduceMax", "last_hidden_state", "sentence_embedding", axes=[1], keepdims=0),
        node("Identity", "sentence_embedding", "pooler_output"),
    ]
    if "logits" in outputs:
        nodes += [node("Squeeze", "last_hidden_state first", "logits")]
    shapes: dict[str, list[str | int]] = {"last_hidden_state": ["batch", length, DIMENSION], "logits": ["length", 8]}
    layer = np.random.default_rng(9).integers(-127, 127, (DIMENSION, DIMENSION), dtype=np.int8)
    initial = {
        "rows": rows,
        "types": TYPES,
        "layer": layer,
        "layer_scale": np.array(0.02, dtype=np.float32),
        "last": np.array([-1], dtype=np.int64),
        "first": np.array([0], dtype=np.int64),
    }
    content = message(
        *[(1, each) for each in nodes],
        (2, "tiny"),
        *[(5, tensor(name, array)) for name, array in initial.items()],
        *[(11, value(name, INT64, ["batch", length])) for name in inputs],
        *[(12, value(name, FLOAT, shapes.get(name, ["batch", DIMENSION]))) for name in outputs],
    )
    return message((1, 8), (2, "tests"), (7, content), (8, message((1, ""), (2, 13))))


def word_tokenizer(truncation: int | None = None, processor: bool = True) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(SPECIAL)
    if processor:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
    if truncation:
        tokenizer.enable_truncation(truncation)
    tokenizer.enable_padding()
    return tokenizer


def write_model(folder: Path, *, pooling: dict | None = None, place: str = "model.onnx", **kinds):
    """Write a model folder; `config` replaces settings, the rest is for `graph`."""
    config = {"languages": ["en", "zh"], "max_tokens": 6, **kinds.pop("config", {})}
    for parent in (folder, (folder / place).parent, folder / "1_Pooling"):
        parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_bytes(graph(**kinds))
    word_tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    if pooling:
        (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling), encoding="utf-8")
    return folder


def ids_of(*names: str) -> list[int]:
    return [WORDS.index(name) for name in names]


def mean_of(*names: str) -> np.ndarray:
    """The vector of one window of the graph that is not quantised."""
    mean = ROWS[ids_of("[CLS]", *names, "[SEP]")].mean(axis=0)
    return mean / np.linalg.norm(mean)
