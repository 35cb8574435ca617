"""Questions with names about documents in the other language."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from khub.components.text.language import detect_language
from khub.eval.lab.abstention.names.questions import (
    FIRST_NEWS,
    FOLDER,
    OF_ALL,
    SAMPLES,
    Asked,
    folders_of,
    read_questions,
)
from khub.eval.lab.abstention.names.report import markdown
from khub.eval.lab.abstention.report import write_section
from khub.eval.run.files import write_file

pytestmark = pytest.mark.unit


def test_there_are_enough_questions_of_every_kind_and_half_of_each_are_not_chosen_by() -> None:
    questions = read_questions()
    kinds = Counter(asked.kind for asked in questions if asked.language == "en" and asked.answerable)
    halves = Counter((asked.language, asked.answerable, asked.half) for asked in questions)

    assert len({asked.id for asked in questions}) == len(questions)
    assert sum(kinds.values()) == 100
    assert (kinds["person"] >= 25, kinds["place"] >= 15, kinds["firm"] >= 10, kinds["none"] >= 20) == (True,) * 4
    assert all(halves[*key, "choose"] == halves[*key, "measure"] for key in {group[:2] for group in halves})


@pytest.mark.parametrize("asked", [asked for asked in read_questions() if asked.collection != "news"])
def test_the_documents_are_in_the_other_language_than_the_question(asked: Asked) -> None:
    assert detect_language(asked.question) == asked.language
    if asked.source is not None:
        file = (SAMPLES if asked.collection == "samples" else FOLDER / asked.collection) / asked.source
        assert file.is_file()
        assert file.suffix != ".md" or detect_language(file.read_text(encoding="utf-8")) != asked.language


def test_the_news_are_those_that_are_asked_for_and_the_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))
    lines = "".join(f'{{"_id": "n{number}", "text": "新闻"}}\n' for number in range(FIRST_NEWS + 9))
    write_file(tmp_path / "news.jsonl", lines)
    asked = Asked("a", "news", "en", "none", True, "?", "choose", f"n{FIRST_NEWS + 5}")
    folders = folders_of([asked], tmp_path / "news.jsonl")

    assert len(list(folders["news"].iterdir())) == FIRST_NEWS + 1
    assert (folders["news"] / f"n{FIRST_NEWS + 5}.md").is_file()
    assert "news" not in folders_of([asked], None)
    assert all("-zh." in file.name for file in folders["samples"].rglob("*") if file.is_file())
    assert {path.name for path in folders[OF_ALL].iterdir()} == {"firm", "story", "office", "samples"}


def row(asked_of: str, half: str, answerable: bool, **told: bool) -> dict[str, Any]:
    about = {"abstained": False, "named": False, "unsure": False, **told}
    return {"asked_of": asked_of, "language": "en", "kind": "person", "half": half, "answerable": answerable, **about}


def test_the_table_counts_what_is_turned_away_and_what_is_in_doubt() -> None:
    rows = [
        row("firm", "choose", True, abstained=True, named=True),
        row("firm", "measure", True, unsure=True),
        row("firm", "measure", False, named=True),
        row(OF_ALL, "measure", True, abstained=True),
    ]
    about = {"machine": "a machine", "load": "", "date": "today", "graph": "query", "news": False, "rows": rows}
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in markdown(about).splitlines()]

    assert ["English", "in the other language", "both", "2", "1", "1", "2", "1", "0", "1", "1"] in cells
    assert ["English", "in the other language", "measure", "1", "0", "0", "1", "1", "0", "1", "1"] in cells
    assert ["English", OF_ALL, "both", "1", "1", "0", "1", "0", "0", "0", "0"] in cells
    assert ["person", "2", "1", "1", "2", "1", "0", "1", "1"] in cells


def test_a_section_is_written_behind_the_tables_in_place_of_the_last(tmp_path: Path) -> None:
    (tmp_path / "abstention.md").write_text("# Abstention\n\ntables\n", encoding="utf-8")
    write_section(tmp_path, "## Names\n\nold\n")
    write_section(tmp_path, "## Names\n\nnew\n")

    assert (tmp_path / "abstention.md").read_text(encoding="utf-8") == "# Abstention\n\ntables\n\n## Names\n\nnew\n"
