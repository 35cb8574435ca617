"""A BERT encoder as an int8 ONNX graph that takes one text at a time, without padding, which is how the hub runs it.

Embedding rows are int8 with a scale each; the matrix products are quantised dynamically, weights per column,
activations when they are known.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 20
CONTRIB = "com.microsoft"
HEADS = 12
EPSILON = 1e-12
SMALL = 1e-5
ALPHA = 0.7  # of 0.25 to 1 what left vectors nearest to those in float32, on the statements
INPUT_OF = "input of "
OUTPUT = "sentence_embedding"


class Correction(NamedTuple):
    """What makes cosines of two languages comparable.

    :param center: float32 (384), taken off the vector.
    :param direction: float32 (384), at unit length; the vector loses what it has of it.
    """

    center: np.ndarray
    direction: np.ndarray


class Graph:
    """Collects the nodes and weights of an ONNX graph.

    :param largest: largest number that a weight of a matrix product is stored as: 127, or 63 for 7 bits; 0 leaves all
        weights float32.
    :param ranges: the largest input of each matrix product by its name, float32 (inputs); see `dense`.
    """

    def __init__(self, largest: int, ranges: Mapping[str, np.ndarray] | None = None) -> None:
        self.largest = largest
        self.ranges = ranges or {}
        self.sources: dict[str, str] = {}
        """Of each matrix product the name of its input."""
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def weight(self, name: str, value: np.ndarray) -> str:
        """Add a weight and return its name."""
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(
        self, kind: str, inputs: list[str], name: str, domain: str = "", outputs: int = 1, **attributes: Any
    ) -> str:
        """Add a node and return the name of its (first) output."""
        names = [name, *(f"{name}_{number}" for number in range(1, outputs))]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"{name}/{kind}", domain=domain, **attributes))
        return name

    def dense(self, source: str, weight: np.ndarray, bias: np.ndarray, name: str) -> str:
        """Add `source @ weight.T + bias`, int8 with a scale for each column where weights are quantised.

        One scale serves a whole input, so that few large channels leave the others few steps. Where the ranges are
        known, each channel is divided by what its weights are multiplied by (G. Xiao et al., *SmoothQuant*, ICML 2023).
        """
        self.sources[name] = source
        added = self.weight(f"{name}.bias", bias)
        if name in self.ranges:
            most = np.abs(weight).max(axis=0).clip(SMALL)
            factors = (self.ranges[name].clip(SMALL) ** ALPHA / most ** (1 - ALPHA)).astype(np.float32)
            source = self.node("Mul", [source, self.weight(f"{name}.smooth", 1 / factors)], f"{name}.smoothed")
            weight = weight * factors
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


def build(
    weights: dict[str, np.ndarray],
    rows: np.ndarray,
    largest: int,
    correction: Correction | None = None,
    ranges: Mapping[str, np.ndarray] | None = None,
) -> onnx.ModelProto:
    """Build the graph from `input_ids` (1, length) to `sentence_embedding` (1, 384), the mean over all tokens.

    :param weights: the encoder's weights, by the names of transformers.
    :param rows: float32 array (tokens, 384), all embedding rows.
    :param largest: see `Graph`; embedding rows are int8 with a scale each unless it is 0.
    :param correction: what is done to the vector at unit length; None for nothing.
    :param ranges: see `Graph`; None for a graph that gives the inputs of its matrix products as further outputs
        (`INPUT_OF` and the name), from which they can be measured, where it is float32.
    """
    graph = Graph(largest, ranges)
    hidden = _embed(graph, weights, rows)
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    for number in range(layers):
        hidden = layer(graph, weights, f"encoder.layer.{number}", hidden)
    pooled = graph.node("ReduceMean", [hidden, graph.weight("tokens", np.array([1]))], "pooled", keepdims=0)
    unit = graph.node("LpNormalization", [pooled], "unit" if correction else OUTPUT, axis=-1, p=2)
    if correction:
        centred = graph.node("Sub", [unit, graph.weight("center", correction.center[None])], "centred")
        along = graph.node("MatMul", [centred, graph.weight("axis_out", correction.direction[:, None])], "along")
        off = graph.node("MatMul", [along, graph.weight("axis_in", correction.direction[None])], "off")
        graph.node("Sub", [centred, off], OUTPUT)
    ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"])
    output = helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, ["batch", rows.shape[1]])
    outputs = [output]
    if not largest and ranges is None:
        for name, source in graph.sources.items():
            graph.node("Identity", [source], INPUT_OF + name)
            outputs.append(helper.make_tensor_value_info(INPUT_OF + name, TensorProto.FLOAT, ["batch", "length", None]))
    made = helper.make_graph(graph.nodes, "khub-base", [ids], outputs, graph.weights)
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


def layer(graph: Graph, weights: dict[str, np.ndarray], prefix: str, hidden: str) -> str:
    """Add a layer of the encoder and return the name of its output.

    :param prefix: of the names of its weights.
    :param hidden: the name of its input.
    """
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
    return graph.normalize(narrow, normal, weights, f"{prefix}.output.LayerNorm", f"{name}.output")
