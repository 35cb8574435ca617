import json
import re
from pathlib import Path

import pytest

from khub.eval.pages.question_set import read_page_set

pytestmark = pytest.mark.unit
FOLDER = Path(__file__).parents[3] / "eval" / "pages" / "manuals"


def test_every_question_has_an_answer_on_a_page_of_a_document_that_is_listed(tmp_path: Path) -> None:
    listed = set(re.findall(r"\| `([^`]+\.pdf)` \|$", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    (tmp_path / "documents").mkdir()
    for name in listed:
        (tmp_path / "documents" / name).touch()
    (tmp_path / "questions.jsonl").write_bytes((FOLDER / "questions.jsonl").read_bytes())
    questions = read_page_set(tmp_path).questions
    assert len(listed) == 24
    assert len({question.text for question in questions}) == len({question.id for question in questions}) == 288
    assert {source for question in questions for source, _ in question.evidence} == listed
    assert all(page >= 1 for question in questions for _, page in question.evidence)


def test_the_languages_are_as_the_readme_says() -> None:
    rows = [json.loads(line) for line in (FOLDER / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    chinese = [row for row in rows if re.search("[\u4e00-\u9fff]", row["question"])]
    assert (len(rows) - len(chinese), len(chinese)) == (144, 144)
    assert all(row["answer"] for row in rows)
