import sys
from pathlib import Path

import pytest

from eval.models import statement_sets
from eval.models.beir import Dataset, read_dataset
from eval.models.statement_sets import TRAINED, write_sets
from eval.models.written import Pair, Statement, read_statements

pytestmark = pytest.mark.unit


def pair(text: str) -> Pair:
    return Pair(f"{text} in English", text, "")


def sets(folder: Path, count: int) -> dict[str, Dataset]:
    made = [Statement(pair(f"说{n}。"), (pair(f"换{n}"), pair(f"问{n}"))) for n in range(count)]
    return {path.name: read_dataset(path, with_title=False) for path in write_sets(folder, made)}


def test_each_statement_lies_in_one_set_and_is_what_its_question_is_about(tmp_path: Path) -> None:
    found = sets(tmp_path, 10)
    texts = [text.removesuffix(" in English") for data in found.values() for text in data.passages.values()]
    assert sorted(texts) == sorted(f"说{n}。" for n in range(10))
    assert [len(data.passages) for data in found.values()] == [2, 2, 2, 4]
    for name, data in found.items():
        for query, question in data.queries.items():
            [answer] = data.gains[query]
            assert question[0] == ("问" if name.startswith("direct") else "换")
            assert data.passages[answer].startswith(f"说{question[1:]}。")
            assert data.passages[answer].endswith("English") == name.endswith("2en")


def test_some_are_passages_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statement_sets, "QUESTIONS", 1)
    assert {len(data.queries) for data in sets(tmp_path, 12).values()} == {1}


def test_those_that_the_models_have_learned_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["statement_sets", str(tmp_path)])
    statement_sets.main()
    data = [read_dataset(tmp_path / name, with_title=False) for name in statement_sets.KINDS]
    assert sum(len(one.passages) for one in data) == len(read_statements()) - TRAINED
    learned = {text for one in read_statements()[:TRAINED] for text in (one.text.zh, one.text.en)}
    assert not any(text in learned for one in data for text in one.passages.values())
