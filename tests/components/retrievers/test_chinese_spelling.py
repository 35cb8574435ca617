"""Names in Latin letters that Chinese documents hold in characters."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from khub.components.retrievers.chinese_spelling import spelled_in_chinese
from khub.components.stores.sparse_index import SparseIndex
from khub.components.text.tokenizer import tokenize

pytestmark = pytest.mark.unit

TEXT = "张伟在深圳。王晓明、欧阳雪、曾丽和吕芳出席。慕尼黑办事处向海康威视采购，宝洁来函，往访小组到达。约翰没有来。"
Spelled = Callable[..., str | None]


@pytest.fixture
def spelled(tmp_path: Path) -> Spelled:
    index = SparseIndex(tmp_path / "index")
    index.write([("c1", tokenize(TEXT))])

    def ask(*words: str, place: int = 0, between: str = " ") -> str | None:
        behind = [*[between] * (len(words) - 1), ""]
        return spelled_in_chinese(index, words, place, behind)

    return ask


@pytest.mark.parametrize(
    "name", ["Zhang Wei", "ZHANG Wei", "Wei Zhang", "Wang Xiaoming", "Xiaoming Wang", "Wang Xiao Ming", "Ouyang Xue"]
)
def test_a_name_is_found_by_its_sound_in_either_order(spelled: Spelled, name: str) -> None:
    words = name.split()
    assert all(spelled(*words, place=place) for place in range(len(words)))


@pytest.mark.parametrize("name", ["Zeng Li", "Lü Fang", "Lv Fang", "Lyu Fang", "Shenzhen"])
def test_it_is_found_by_every_reading_and_spelling(spelled: Spelled, name: str) -> None:
    assert spelled(*name.split())


@pytest.mark.parametrize("words", [["Wang", "Fang"], ["Zhang", "Jun"], ["Li", "Na"], ["Wei", "Wang"]])
def test_a_person_whom_nobody_writes_of_is_not_held(spelled: Spelled, words: list[str]) -> None:
    assert [spelled(*words, place=place) for place in range(2)] == ["", ""]


def test_a_family_name_alone_is_held_by_its_character(spelled: Spelled) -> None:
    assert spelled("Zhang")
    assert not spelled("Zhou")


def test_a_name_is_found_as_it_is_translated(spelled: Spelled) -> None:
    assert spelled("Munich")
    assert spelled("Hikvision")
    assert spelled("Procter", "Gamble", place=1, between=" & ")


def test_a_well_known_name_that_is_not_held_is_told_from_one_of_which_nothing_is_known(spelled: Spelled) -> None:
    assert spelled("Tesla") == ""
    assert spelled("Thornfield") is None
    assert spelled("Smith") is None


def test_the_spelling_is_that_of_the_documents(spelled: Spelled) -> None:
    assert re.search(str(spelled("Zhang", "Wei")), TEXT)
    assert not re.search(str(spelled("Zhang", "Wei")), "张三在深圳")
    assert re.search(str(spelled("Munich")), "在慕尼黑")
