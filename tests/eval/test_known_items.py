"""Questions drawn from passages."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from components.errors import KhubError
from components.query.stopwords import ENGLISH
from eval.abstention.beir_folder import write_beir
from eval.known_items import draw_phrase, draw_words, write_known_items
from eval.models.beir import read_dataset

PASSAGE = (
    "Common swifts sleep on the wing. They were seen above the clouds, gliding for hours; nests are built by pairs."
)
CHINESE = "雨燕在飞行中睡觉，它们常年不落地地飞行在云层之上。"
SHORT = "Too short."


def source(folder: Path) -> Path:
    return write_beir(folder / "birds", "birds", ["any"], [PASSAGE, SHORT, f"{PASSAGE} And so on it goes.", PASSAGE])


@pytest.mark.unit
def test_words_stand_in_the_passage_and_none_is_a_stop_word() -> None:
    drawn = [draw_words(PASSAGE, random.Random(seed)).split() for seed in range(50)]

    assert {len(words) for words in drawn} == {3, 4, 5, 6}
    for words in drawn:
        assert set(words) <= set(re.findall(r"\w+", PASSAGE.lower()))
        assert len(set(words)) == len(words)
        assert not ENGLISH.intersection(words)
    assert len({tuple(words) for words in drawn}) > 40


@pytest.mark.unit
def test_chinese_words_have_two_characters_at_least() -> None:
    pytest.importorskip("jieba", reason="Chinese words are cut by jieba: pip install jieba")
    words = draw_words(CHINESE, random.Random(1)).split()

    assert len(words) >= 3
    assert all(len(word) > 1 and word in CHINESE for word in words)


@pytest.mark.unit
@pytest.mark.parametrize("seed", range(20))
def test_a_phrase_is_a_piece_of_one_sentence(seed: int) -> None:
    phrase, chinese = (draw_phrase(text, random.Random(seed)) for text in (PASSAGE, CHINESE))

    assert 4 <= len(phrase.split()) <= 10
    assert phrase in PASSAGE
    assert not re.search(r"[.;] ", phrase)
    assert 8 <= len(chinese) <= 20
    assert chinese in CHINESE
    assert "，" not in chinese


@pytest.mark.unit
def test_short_passages_have_no_questions() -> None:
    assert draw_words(SHORT, random.Random(1)) == draw_phrase(SHORT, random.Random(1)) == ""


@pytest.mark.unit
def test_each_question_belongs_to_the_passage_that_it_was_drawn_from(tmp_path: Path) -> None:
    folders = write_known_items(source(tmp_path), tmp_path / "out")

    assert [folder.name for folder in folders] == ["birds-words", "birds-phrases"]
    for folder in folders:
        data = read_dataset(folder, with_title=False)
        assert sorted(data.passages.values()) == sorted({PASSAGE, SHORT, f"{PASSAGE} And so on it goes."})
        assert len(data.queries) == 2
        for number, question in data.queries.items():
            (passage,) = data.gains[number]
            assert all(word in data.passages[passage].lower() for word in question.lower().split())


@pytest.mark.unit
def test_the_seed_decides_and_the_number_bounds(tmp_path: Path) -> None:
    def questions(name: str, **options: int) -> list[str]:
        folder = write_known_items(source(tmp_path), tmp_path / name, **options)[0]
        return [json.loads(line)["text"] for line in (folder / "queries.jsonl").read_text().splitlines()]

    assert questions("a") == questions("b")
    assert questions("a") != questions("c", seed=8)
    assert len(questions("d", questions=1)) == 1


@pytest.mark.unit
def test_passages_without_a_question_are_told(tmp_path: Path) -> None:
    short = write_beir(tmp_path / "short", "short", ["any"], [SHORT])

    with pytest.raises(KhubError, match="short-words"):
        write_known_items(short, tmp_path / "out")


@pytest.mark.integration
def test_the_command_names_the_folders(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "eval.known_items", str(source(tmp_path)), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    broken = subprocess.run(
        [*command[:3], str(tmp_path), "out"], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.stdout.split() == [str(tmp_path / "out" / f"birds-{kind}") for kind in ("words", "phrases")]
    assert broken.returncode == 1
    assert "corpus.jsonl" in broken.stderr
    assert "Traceback" not in broken.stderr
