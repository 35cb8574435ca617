import json
import re
from pathlib import Path

import pytest

from khub.eval.pages.question_set import read_page_set

pytestmark = pytest.mark.unit
FOLDER = Path(__file__).parents[3] / "eval" / "pages" / "reports"


def test_the_questions_are_as_the_readme_says(tmp_path: Path) -> None:
    text = (FOLDER / "questions.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    (tmp_path / "documents").mkdir()
    for name in {page["source"] for row in rows for page in row["evidence"]}:
        (tmp_path / "documents" / name).touch()
    (tmp_path / "questions.jsonl").write_text(text, encoding="utf-8")
    questions = read_page_set(tmp_path).questions
    chinese = [row for row in rows if re.search("[\u4e00-\u9fff]", row["question"])]
    assert len({question.text for question in questions}) == len(questions) == 64
    assert len(list((tmp_path / "documents").iterdir())) == 10
    assert (len(rows) - len(chinese), len(chinese)) == (55, 9)
    assert all(row["answer"] and row["evidence"] for row in rows)
