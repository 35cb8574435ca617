"""A cross-encoder with a real, tiny int8 graph: it adds up what the words of the passage weigh."""

import json

import numpy as np
import onnx
import pytest
from haystack import Document
from onnx import TensorProto, helper, numpy_helper

from khub.components.errors import GraphError, KhubError
from khub.components.question import Question
from khub.components.rankers.bounded_ranker import BoundedRanker
from khub.components.rankers.onnx_cross_encoder import OnnxCrossEncoder
from tests.components.parts.tiny_onnx import WORDS, word_tokenizer

pytestmark = pytest.mark.unit

WEIGHTS = {"heron": 2, "tern": 1, "swift": -1, "sleeps": -3}


def write_model(folder, classes=1, place="model.onnx", inputs=("input_ids", "attention_mask", "token_type_ids")):
    """Write a model whose logits are the weights of the passage's words, as int8 with a scale."""
    rows = np.array([[WEIGHTS.get(word, 0) * 20] for word in WORDS], dtype=np.int8)
    if classes != 1:
        rows = np.repeat(rows, classes, axis=1) * np.arange(classes, dtype=np.int8)
    constants = {"rows": rows, "scale": np.float32(0.05), "zero": np.int8(0), "axis": np.array([1], dtype=np.int64)}
    nodes = [
        helper.make_node("Gather", ["rows", "input_ids"], ["gathered"]),
        helper.make_node("DequantizeLinear", ["gathered", "scale", "zero"], ["weights"]),
        helper.make_node("Mul", ["attention_mask", "token_type_ids"], ["of_passage"]),
        helper.make_node("Cast", ["of_passage"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["mask3"]),
        helper.make_node("Mul", ["weights", "mask3"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "axis"], ["logits"], keepdims=0),
    ]
    constants["last"] = np.array([-1], dtype=np.int64)
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in inputs],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", classes])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, str(folder / place))
    tokenizer = word_tokenizer()
    tokenizer.post_processor = None
    data = json.loads(tokenizer.to_str())
    data["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0)],
        "pair": [special("[CLS]", 0), sequence("A", 0), special("[SEP]", 0), sequence("B", 1), special("[SEP]", 1)],
        "special_tokens": {
            name: {"id": name, "ids": [WORDS.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]")
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(data), encoding="utf-8")
    return str(folder)


def special(name, kind):
    return {"SpecialToken": {"id": name, "type_id": kind}}


def sequence(name, kind):
    return {"Sequence": {"id": name, "type_id": kind}}


def passages(*texts):
    return [Document(content=text, meta={"title": "the"}) for text in texts]


TEXTS = ("the swift sleeps", "the heron wades", "tern", "the tern dives the heron")


def sigmoid(number):
    return 1 / (1 + np.exp(-number))


@pytest.mark.parametrize("batch_size", [1, 3, 8])
@pytest.mark.parametrize("threads", [1, 4])
def test_passages_come_in_the_models_order(tmp_path, batch_size, threads):
    ranker = OnnxCrossEncoder(write_model(tmp_path), batch_size=batch_size, threads=threads)
    ranked = ranker.run("the swift", passages(*TEXTS))["documents"]  # the question's own words weigh nothing

    assert [document.content for document in ranked] == [TEXTS[3], TEXTS[1], TEXTS[2], TEXTS[0]]
    assert [document.score for document in ranked] == pytest.approx([sigmoid(n) for n in (3, 2, 1, -4)], abs=1e-6)
    assert ranker.run("the swift", [])["documents"] == []


def test_of_two_classes_the_second_counts(tmp_path):
    ranker = OnnxCrossEncoder(write_model(tmp_path, classes=2, place="onnx/model.onnx"), top_k=1)
    (best,) = ranker.run("heron", passages(*TEXTS))["documents"]
    assert (best.content, best.score) == (TEXTS[3], pytest.approx(sigmoid(3), abs=1e-6))


def test_what_is_too_long_is_cut_and_the_question_leaves_the_passage_room(tmp_path):
    ranker = OnnxCrossEncoder(write_model(tmp_path), max_length=10)
    (long,) = ranker.run("swift " * 50, passages("heron " * 50))["documents"]
    # 10 tokens: 3 special ones, 3 of the question, "the" above the passage and 3 of its words
    assert long.score == pytest.approx(sigmoid(6), abs=1e-6)


def test_names_of_special_tokens_are_words_of_the_passage(tmp_path):
    ranker = OnnxCrossEncoder(write_model(tmp_path))
    (one,) = ranker.run("the [SEP] heron \ud800", passages("[SEP] tern"))["documents"]
    assert one.score == pytest.approx(sigmoid(1), abs=1e-6)


def test_in_a_bounded_ranker_its_scores_are_the_passages(tmp_path):
    bounded = BoundedRanker(OnnxCrossEncoder(write_model(tmp_path)), candidates=3)
    ranked = bounded.run(Question(asked="heron", text="heron"), passages(*TEXTS))["documents"]
    assert [document.content for document in ranked] == [TEXTS[1], TEXTS[2], TEXTS[0], TEXTS[3]]
    assert ranked[0].meta["scores"]["rerank"] == pytest.approx(sigmoid(2), abs=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: (folder / "model.onnx").unlink(), "there is no cross-encoder"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer.json cannot be read"),
        (lambda folder: (folder / "model.onnx").write_bytes(b"nothing"), "is damaged"),
        (lambda folder: write_model(folder, classes=3), "gives .* for 1 pairs"),
    ],
)
def test_a_model_that_cannot_be_used_is_named(tmp_path, change, message):
    write_model(tmp_path)
    change(tmp_path)
    with pytest.raises(KhubError, match=message):
        OnnxCrossEncoder(str(tmp_path)).run("heron", passages("tern"))


@pytest.mark.parametrize("wrong", [{"top_k": 0}, {"max_length": 7}, {"batch_size": 0}, {"threads": -1}])
def test_numbers_out_of_bounds_are_refused(wrong):
    with pytest.raises(GraphError, match=next(iter(wrong))):
        OnnxCrossEncoder("anywhere", **wrong)
