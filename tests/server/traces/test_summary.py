from collections import UserDict

import numpy as np
import pytest
from haystack import Document
from haystack.dataclasses import ByteStream

from khub.server.traces.summary import summarize, summarize_input

pytestmark = pytest.mark.unit

DOCUMENTS = [Document(id=str(i), content="c" * 900, score=1 / (i + 1)) for i in range(30)]


def test_of_many_documents_the_first_twenty_are_kept():
    summary = summarize(DOCUMENTS, "standard")
    assert summary["count"] == 30
    assert len(summary["documents"]) == 20
    assert summary["documents"][2] == {"id": "2", "rank": 3, "score": 1 / 3}


@pytest.mark.parametrize(
    ("value", "minimal", "standard", "verbose"),
    [
        (3, 3, 3, 3),
        (None, None, None, None),
        ("label", {"chars": 5}, "label", "label"),
        ("x" * 600, {"chars": 600}, {"chars": 600}, "x" * 500),
        ({"text": "ab", "page": 1}, {"count": 2}, {"text": {"chars": 2}, "page": 1}, {"text": "ab", "page": 1}),
        ([0.5] * 21, {"count": 21}, {"count": 21}, {"count": 21}),
        (["a"] * 21, {"count": 21}, {"count": 21, "items": ["a"] * 20}, {"count": 21, "items": ["a"] * 20}),
        ([], {"count": 0}, [], []),
        (UserDict(a=0.5), {"count": 1}, {"a": 0.5}, {"a": 0.5}),
        (ByteStream(b"x"), {"type": "ByteStream"}, {"type": "ByteStream"}, {"type": "ByteStream"}),
        (np.zeros(3), {"type": "ndarray"}, {"type": "ndarray"}, {"type": "ndarray"}),
        ({"a": [{"b": [{"c": 1}]}]}, {"count": 1}, {"a": [{"b": [{"count": 1}]}]}, {"a": [{"b": [{"count": 1}]}]}),
    ],
)
def test_values_by_level(value, minimal, standard, verbose):
    assert summarize(value, "minimal") == minimal
    assert summarize(value, "standard") == standard
    assert summarize(value, "verbose") == verbose


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ("label", {"chars": 5}),
        ({"name": "dense", "used": True, "reason": "no"}, {"name": "dense", "used": True, "reason": {"chars": 2}}),
        ({"error": 2.6, "code": 1}, {"values": [2.6, 1]}),
        ({"e-4012": ["x"]}, {"count": 1}),
        ({"terms": ["error", "代码"]}, {"terms": [{"chars": 5}, {"chars": 2}]}),
        ({"name": "x" * 201}, {"name": {"chars": 201}}),
        ([0.5, 3], [0.5, 3]),
    ],
)
def test_masked_values(value, masked):
    assert summarize(value, "masked") == masked


def test_inputs_count_their_documents():
    assert summarize_input({"lists": [DOCUMENTS, DOCUMENTS[:2], []]}, "standard") == {
        "lists": [{"count": 30}, {"count": 2}, {"count": 0}]
    }
    assert summarize_input({"documents": DOCUMENTS, "top_k": 3, "x": None}, "verbose") == {
        "documents": {"count": 30},
        "top_k": 3,
    }
