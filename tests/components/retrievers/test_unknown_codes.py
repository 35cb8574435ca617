"""Codes that a question names and no passage holds."""

from pathlib import Path

import pytest

from components.retrievers.unknown_codes import unknown_codes
from components.stores.sparse_index import SparseIndex
from components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("E-4013 and E-4012", ["e-4013"]),
        ("E-4013, again E-4013 in 5.0", ["e-4013", "5.0"]),
        ("Beacon 4.2 in 30 days", []),
        ("khub-base and nonsense", []),
        ("错误 X99", ["x99"]),
    ],
)
def test_a_code_without_an_occurrence_is_named_once(tmp_path: Path, question: str, unknown: list[str]) -> None:
    index = SparseIndex(tmp_path / "index")
    index.write([("c1", tokenize("code E-4012 of Beacon 4.2"))])
    assert unknown_codes(index, tokenize(question)) == unknown
