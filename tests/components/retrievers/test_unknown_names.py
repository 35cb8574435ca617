"""Names and codes that a question names and no passage holds."""

from pathlib import Path

import pytest

from components.retrievers.unknown_names import unknown_names
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
        ("Tesla's revenue in 2022", ["tesla"]),
        ("What did Tesla and Beacon sell?", ["tesla"]),
        ("Tesla revenue 2022", ["tesla"]),
        ("NVIDIA: how much revenue was there", ["nvidia"]),
        ("Does Beacon sell Toyota cars?", ["toyota"]),
        ("Tesla 的代码是 NVIDIA 吗", ["tesla", "nvidia"]),
        ("Describe the code. Summarise it", []),
        ("How Do I Reset My Password", []),
        ("what does iPhone code", []),
        ("profit in FY2021 of 2009-10", []),
    ],
)
def test_a_name_without_an_occurrence_is_named_once(tmp_path: Path, question: str, unknown: list[str]) -> None:
    index = SparseIndex(tmp_path / "index")
    index.write([("c1", tokenize("code E-4012 of Beacon 4.2"))])
    assert unknown_names(index, question, tokenize(question)) == unknown
