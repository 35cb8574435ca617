"""Names and codes that a question names and no passage holds."""

from pathlib import Path
from unittest import mock

import pytest

from khub.components.retrievers.unknown_names import unknown_names
from khub.components.stores.index_entries import language_mark
from khub.components.stores.sparse_index import SparseIndex
from khub.components.text.tokenizer import tokenize

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
        ("is the code a YYYY-MM-DD, YYYYMMDD, HH:MM, N/A or XXX?", []),
        ("is there a README of the code", []),
        ("the code of the 3rd of May, on Monday at 5pm, in 25mm, 8GB and 20%", []),
        ("the code 5G7 or M25", ["5g7", "m25"]),
    ],
)
def test_a_name_without_an_occurrence_is_named_once(tmp_path: Path, question: str, unknown: list[str]) -> None:
    index = SparseIndex(tmp_path / "index")
    index.write([("c1", tokenize("code E-4012 of Beacon 4.2"))])
    assert unknown_names(index, question, tokenize(question)).names == unknown


@pytest.mark.parametrize(
    ("question", "unknown", "elsewhere"),
    [
        ("What is Zhang Wei's position?", [], []),
        ("Where does Wei Zhang live, in Munich?", [], []),
        ("Does Zhang Wei ever report anything to Wang Fang?", ["wang", "fang"], []),
        ("Is Tesla or Thornfield a supplier?", ["tesla", "thornfield"], ["thornfield"]),
        ("What does Elizabeth say of E-4013?", ["e-4013", "elizabeth"], ["elizabeth"]),
    ],
)
def test_chinese_documents_hold_a_name_in_characters(
    tmp_path: Path, question: str, unknown: list[str], elsewhere: list[str]
) -> None:
    index = SparseIndex(tmp_path / "index")
    index.write([("c1", [*tokenize("张伟在慕尼黑任职"), language_mark("zh")])])
    found = unknown_names(index, question, tokenize(question))
    assert (found.names, found.elsewhere) == (unknown, elsewhere)


def test_without_chinese_documents_no_name_is_looked_for_in_characters(tmp_path: Path) -> None:
    index = SparseIndex(tmp_path / "index")
    index.write([("c1", [*tokenize("the code"), language_mark("en")])])
    found = unknown_names(index, "What is Wang Fang doing?", tokenize("wang fang"))
    assert found == (["wang", "fang"], ["wang", "fang"], [])


def test_a_long_list_of_names_is_done_with_soon(tmp_path: Path) -> None:
    index = SparseIndex(tmp_path / "index")
    index.write([("c1", [*tokenize("张伟在慕尼黑任职"), language_mark("zh")])])
    words = [f"Xian{n}" if n % 7 else "Xianan" for n in range(300)] + ["a"] * 400
    with mock.patch.object(index, "holds", wraps=index.holds) as holds:
        unknown_names(index, " ".join(words), tokenize(" ".join(words)))
    assert holds.call_count < 1000
