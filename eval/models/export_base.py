"""Write the trained base model as an int8 ONNX graph with its tokenizers.

The graph takes one text at a time, without padding, which is how the hub runs it. Embedding rows are int8 with a scale
each; the matrix products are quantised dynamically, weights per column, activations when they are known.

    python -m eval.models.export_base --teacher FOLDER --work FOLDER --output components/embedders/models/khub-base
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from eval.models.base_folder import write_config, write_han
from eval.models.static_vocabulary import trimmed_tokenizer
from eval.models.teacher import load_teacher
from eval.models.train_base import TRAINED_SHARE

OPSET = 20
CONTRIB = "com.microsoft"
HEADS = 12
EPSILON = 1e-12
BLEND_WEIGHT = 0.3
LARGEST_HELP = (
    "largest stored weight of matrix products: 127; 63 (7 bits), with which processors without VNNI, which add pairs of"
    " products in 16 bits, do not overflow; 0 for float32, to measure what quantisation costs"
)


class Graph:
    """Collects the nodes and weights of an ONNX graph.

    :param largest: largest number that a weight of a matrix product is stored as: 127, or 63 for 7 bits; 0 leaves all
        weights float32.
    """

    def __init__(self, largest: int) -> None:
        self.largest = largest
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, value: np.ndarray) -> str:
        """Add a weight and return its name."""
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(
        self, kind: str, inputs: list[str], name: str, domain: str = "", outputs: int = 1, **attributes: object
    ) -> str:
        """Add a node and return the name of its (first) output."""
        names = [name, *(f"{name}_{number}" for number in range(1, outputs))]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"{name}/{kind}", domain=domain, **attributes))
        return name

    def dense(self, source: str, weight: np.ndarray, bias: np.ndarray, name: str) -> str:
        """Add `source @ weight.T + bias`, int8 with a scale for each column where weights are quantised."""
        added = self.weight(f"{name}.bias", bias)
        if not self.largest:
            product = self.node("MatMul", [source, self.weight(f"{name}.weight", weight.T)], f"{name}.product")
            return self.node("Add", [product, added], name)
        rows, scales = quantized(weight, self.largest)
        inputs = [self.weight(f"{name}.weight", rows.T), self.weight(f"{name}.scale", scales[:, 0])]
        return self.node("DynamicQuantizeMatMul", [source, *inputs, "", added], name, CONTRIB)

    def normalize(self, source: str, skipped: str, weights: dict[str, np.ndarray], prefix: str, name: str) -> str:
        """Add the layer normalisation of `source + skipped`.

        Two nodes, since onnxruntime's fused SkipLayerNormalization is eight times slower on the processor than both.
        """
        parts = [self.weight(f"{name}.{part}", weights[f"{prefix}.{part}"]) for part in ("weight", "bias")]
        total = self.node("Add", [source, skipped], f"{name}.sum")
        return self.node("LayerNormalization", [total, *parts], name, axis=-1, epsilon=EPSILON)


def quantized(rows: np.ndarray, largest: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows as int8 from -largest to largest, and their scales, float32 (rows, 1)."""
    scales = (np.abs(rows).max(axis=1, keepdims=True).clip(1e-12) / largest).astype(np.float32)
    return np.round(rows / scales).astype(np.int8), scales


def build(weights: dict[str, np.ndarray], rows: np.ndarray, largest: int) -> onnx.ModelProto:
    """Build a BERT encoder as a graph from `input_ids` (1, length) to `last_hidden_state` (1, length, 384).

    :param weights: the teacher's weights by their names.
    :param rows: float32 array (tokens, 384), all embedding rows.
    :param largest: see `Graph`; embedding rows are int8 with a scale each unless it is 0.
    """
    graph = Graph(largest)
    hidden = _embed(graph, weights, rows)
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    for number in range(layers):
        hidden = _layer(graph, weights, f"encoder.layer.{number}", hidden, number == layers - 1)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", rows.shape[1]])
    made = helper.make_graph(graph.nodes, "khub-base", [ids], [output], graph.weights)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
    return helper.make_model(made, opset_imports=opsets, ir_version=10)


def _embed(graph: Graph, weights: dict[str, np.ndarray], rows: np.ndarray) -> str:
    if graph.largest:
        stored, scales = quantized(rows, 127)
        table = graph.weight("rows", stored)
        whole = graph.node("Cast", [graph.node("Gather", [table, "input_ids"], "rows_int8")], "rows_float", to=1)
        factors = graph.node("Gather", [graph.weight("scales", scales), "input_ids"], "row_scales")
        words = graph.node("Mul", [whole, factors], "words")
    else:
        words = graph.node("Gather", [graph.weight("rows", rows), "input_ids"], "words")
    # every token is of type 0, so its row is added once, here
    positions = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    shape = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    zero, axis = graph.weight("zero", np.array([0])), graph.weight("axis", np.array([0]))
    sliced = graph.node("Slice", [graph.weight("positions", positions), zero, shape, axis], "sliced")
    placed = graph.node("Expand", [sliced, graph.node("Shape", [words], "shape")], "placed")
    return graph.normalize(words, placed, weights, "embeddings.LayerNorm", "embedded")


def _layer(graph: Graph, weights: dict[str, np.ndarray], prefix: str, hidden: str, last: bool) -> str:
    name = prefix.replace("encoder.layer.", "layer")
    parts = [f"{prefix}.attention.self.{part}" for part in ("query", "key", "value")]
    weight, bias = (np.concatenate([weights[f"{part}.{end}"] for part in parts]) for end in ("weight", "bias"))
    packed = graph.dense(hidden, weight, bias, f"{name}.qkv")
    query = graph.node("Split", [packed], f"{name}.query", outputs=3, axis=-1, num_outputs=3)
    inputs = [query, f"{query}_1", f"{query}_2"]
    attended = graph.node("MultiHeadAttention", inputs, f"{name}.attended", CONTRIB, num_heads=HEADS)
    out = f"{prefix}.attention.output"
    mixed = graph.dense(attended, weights[f"{out}.dense.weight"], weights[f"{out}.dense.bias"], f"{name}.mixed")
    normal = graph.normalize(mixed, hidden, weights, f"{out}.LayerNorm", f"{name}.normal")
    up, down = f"{prefix}.intermediate.dense", f"{prefix}.output.dense"
    wide = graph.dense(normal, weights[f"{up}.weight"], weights[f"{up}.bias"], f"{name}.wide")
    active = graph.node("Gelu", [wide], f"{name}.active")
    narrow = graph.dense(active, weights[f"{down}.weight"], weights[f"{down}.bias"], f"{name}.narrow")
    output = "last_hidden_state" if last else f"{name}.output"
    return graph.normalize(narrow, normal, weights, f"{prefix}.output.LayerNorm", output)


def main() -> None:
    """Write the folder of the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher", type=Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--static", type=Path, required=True, help="folder of the static model, for its folding table")
    parser.add_argument("--work", type=Path, required=True, help="folder that eval.models.train_base wrote")
    parser.add_argument("--output", type=Path, required=True, help="folder of the model")
    parser.add_argument("--largest", type=int, choices=(0, 63, 127), default=63, help=LARGEST_HELP)
    parser.add_argument(
        "--trained-share", type=float, default=TRAINED_SHARE, help="part of the way from the first rows to the trained"
    )
    parser.add_argument("--blend", help="name of the static model that helps, as the settings shall name it")
    parser.add_argument("--blend-weight", type=float, default=BLEND_WEIGHT, help="see eval.models.choose_blend")
    arguments = parser.parse_args()

    arguments.output.mkdir(parents=True, exist_ok=True)
    tokenizer, kept = trimmed_tokenizer(arguments.teacher / "tokenizer.json")
    weights = {name: tensor.numpy() for name, tensor in load_teacher(arguments.teacher).state_dict().items()}
    saved = torch.load(arguments.work / "rows.pt")
    chinese = torch.lerp(saved["first"], saved["trained"], arguments.trained_share).numpy()
    rows = np.concatenate([weights["embeddings.word_embeddings.weight"][kept], chinese])
    onnx.save(build(weights, rows, arguments.largest), arguments.output / "model.onnx")
    (arguments.output / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    write_han(arguments.work / "han.json", arguments.output)
    folding = load_file(arguments.static / "model.safetensors")["folding"]
    blend = {"model": arguments.blend, "weight": arguments.blend_weight} if arguments.blend else None
    write_config(arguments.output, len(kept), folding, blend)


if __name__ == "__main__":
    main()
