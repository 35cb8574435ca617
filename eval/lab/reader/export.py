"""Write a trained reader as an int8 ONNX graph that takes one pair at a time, without padding.

    python -m khub.eval.lab.reader.export OUTPUT/state.pt qa-train.jsonl.gz [FOLDER_OF_KHUB_BASE]

It has no rows of words of its own: it lies beside khub-base and reads those in its file (ONNX's external data). What
its matrix products read is measured on pairs of the material, as `build_base` does on statements.
"""

import argparse
import json
import random
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import StringStringEntryProto, TensorProto, helper
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

from khub.eval.lab.models.encoder_graph import CONTRIB, INPUT_OF, OPSET, Graph, layer
from khub.eval.lab.reader.encoded import Pair, encode
from khub.eval.lab.reader.material import read_material
from khub.eval.lab.reader.read_window import WINDOW
from khub.eval.lab.reader.rows import BASE, BaseRows

PAIRS = 400
LARGEST = 63
"""7 bits: so that processors without VNNI compute the same, as khub-base does."""
READER = "reader.onnx"


def build(weights: Mapping[str, np.ndarray], largest: int, ranges: Mapping[str, np.ndarray] | None) -> onnx.ModelProto:
    """Build the graph from `input_ids` (1, n) and `sides` (1, n) to the logits of all heads.

    They are `answers` (1, 1), `verdict` (1, 3) and `ends` (1, n, 2).

    :param weights: the state of a `Reader`.
    :param largest: see `Graph`.
    :param ranges: see `Graph`.
    """
    graph = Graph(largest, ranges)
    words = _words(graph)
    sides = graph.node("Gather", [graph.weight("side_rows", weights["sides"]), "sides"], "sided")
    shape = graph.node("Shape", ["sides"], "length", start=1, end=2)
    ends = [graph.weight("zero", np.array([0])), shape, graph.weight("axis", np.array([0]))]
    placed = graph.node("Slice", [graph.weight("positions", weights["positions"][:WINDOW]), *ends], "placed")
    placed = graph.node("Add", [sides, placed], "placed_sides")
    normal = {"embedded.weight": weights["normal"], "embedded.bias": weights["shift"]}
    hidden = graph.normalize(words, placed, normal, "embedded", "embedded")
    named = {_named(name): value for name, value in weights.items() if name.startswith("layers.")}
    for number in range(1 + max(int(name.split(".")[2]) for name in named)):
        hidden = layer(graph, named, f"encoder.layer.{number}", hidden)
    _heads(graph, weights, hidden)
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "length"]) for name in ("input_ids", "sides")]
    outputs = [
        helper.make_tensor_value_info("answers", TensorProto.FLOAT, [1, 1]),
        helper.make_tensor_value_info("verdict", TensorProto.FLOAT, [1, 3]),
        helper.make_tensor_value_info("ends", TensorProto.FLOAT, [1, "length", 2]),
    ]
    if not largest and ranges is None:
        for name, source in graph.sources.items():
            graph.node("Identity", [source], INPUT_OF + name)
            outputs.append(helper.make_tensor_value_info(INPUT_OF + name, TensorProto.FLOAT, [1, "length", None]))
    made = helper.make_graph(graph.nodes, "khub-reader", inputs, outputs, graph.weights)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=10)


def _words(graph: Graph) -> str:
    """Add the vectors of the tokens, whose rows stay in the file of khub-base."""
    held = BaseRows()
    rows = TensorProto(name="rows", data_type=TensorProto.INT8, dims=held.rows.shape)
    rows.data_location = TensorProto.EXTERNAL
    place = {"location": held.file.name, "offset": held.offset, "length": held.rows.nbytes}
    rows.external_data.extend(StringStringEntryProto(key=key, value=str(value)) for key, value in place.items())
    graph.weights.append(rows)
    whole = graph.node("Cast", [graph.node("Gather", ["rows", "input_ids"], "rows_int8")], "rows_float", to=1)
    factors = graph.node("Gather", [graph.weight("scales", held.scales), "input_ids"], "row_scales")
    return graph.node("Mul", [whole, factors], "words")


def _heads(graph: Graph, weights: Mapping[str, np.ndarray], hidden: str) -> None:
    """Add both heads, float32: they are small."""
    tokens = graph.weight("tokens", np.array([1]))
    mean = graph.node("ReduceMean", [hidden, tokens], "mean", keepdims=1)
    first = graph.node("Gather", [hidden, graph.weight("begin", np.array([0]))], "first", axis=1)
    both = graph.node("Squeeze", [graph.node("Concat", [first, mean], "side_by_side", axis=2), tokens], "both")
    mixed = graph.node("Tanh", [_linear(graph, both, weights, "mixed")], "mixed.active")
    _linear(graph, mixed, weights, "answers")
    _linear(graph, mixed, weights, "verdict")
    _linear(graph, hidden, weights, "ends")


def _linear(graph: Graph, source: str, weights: Mapping[str, np.ndarray], name: str) -> str:
    weight = graph.weight(f"{name}.weight", weights[f"{name}.weight"].T)
    product = graph.node("MatMul", [source, weight], f"{name}.product")
    return graph.node("Add", [product, graph.weight(f"{name}.bias", weights[f"{name}.bias"])], name)


def _named(name: str) -> str:
    """Return the name of transformers for a layer's parameter."""
    _, number, part = name.split(".")
    head, _, end = part.rpartition("_")
    for known in ("attention_self_", "attention_output_", "intermediate_", "output_"):
        if head.startswith(known):
            return f"encoder.layer.{number}.{known.replace('_', '.')}{head.removeprefix(known)}.{end}"
    raise ValueError(f"{name!r} is no parameter of a layer")


def inputs_of(pair: Pair) -> dict[str, np.ndarray]:
    """Return what the graph takes for a pair."""
    sides = np.array([[0] * pair.question + [1] * (len(pair.ids) - pair.question)])
    return {"input_ids": np.array([pair.ids]), "sides": sides}


def measured_ranges(file: Path, pairs: list[Pair]) -> dict[str, np.ndarray]:
    """Return the largest input of each channel of each matrix product, on pairs, by the product's name.

    :param file: of a graph that gives them, beside khub-base.
    """
    session = InferenceSession(file)
    names = [output.name for output in session.get_outputs() if output.name.startswith(INPUT_OF)]
    found: dict[str, np.ndarray] = {}
    for pair in pairs:
        for name, value in zip(names, session.run(names, inputs_of(pair)), strict=True):
            most = np.abs(value[0]).max(axis=0)
            key = name.removeprefix(INPUT_OF)
            found[key] = np.maximum(found.get(key, most), most)
    return found


def main() -> None:
    """Write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state", type=Path)
    parser.add_argument("qa", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=BASE, help="with the model.onnx of khub-base")
    arguments = parser.parse_args()
    kept = torch.load(arguments.state)
    weights = {name: value.numpy() for name, value in kept["reader"].items()}
    tokenizer, file = Tokenizer.from_file(str(BASE / "tokenizer.json")), arguments.folder / READER
    asked = random.Random(9).sample(read_material([arguments.qa]), PAIRS)
    pairs = [encode(tokenizer, one.question, read) for one in asked for read in (*one.answers, *one.others)[:1]]
    onnx.save(build(weights, 0, None), file)
    onnx.save(build(weights, LARGEST, measured_ranges(file, pairs)), file)
    config = {"max_tokens": WINDOW, "steps": kept["steps"]}
    file.with_suffix(".json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
