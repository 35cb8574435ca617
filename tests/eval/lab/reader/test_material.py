"""What the reader is trained on: rows of one question together, the same across languages, queries of parallel text."""

import gzip
import json

import pytest

from khub.components.query.word_glosses import SHIPPED
from khub.eval.lab.models.written import Pair
from khub.eval.lab.reader.glossed import in_chinese, in_english
from khub.eval.lab.reader.material import of_parallel_text, read_claims, read_material

pytestmark = pytest.mark.unit

ROW = {"set": "toy", "lang": "en", "question": "How long?", "evidence": "24 months", "how": "gold"}


def written(path, rows):
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def test_rows_of_one_question_are_put_together_also_of_several_files(tmp_path):
    right = {**ROW, "passage": "It is 24 months.", "label": "answer"}
    near = {**ROW, "passage": "It is a warranty.", "label": "near_miss", "evidence": None, "how": "mined"}
    files = [written(tmp_path / "a.gz", [right]), written(tmp_path / "b.gz", [near])]
    [asked] = read_material(files)
    assert [read.evidence for read in asked.answers] == ["24 months"]
    assert [(read.passage, read.how) for read in asked.others] == [("It is a warranty.", "mined")]


def test_verdicts_are_numbered(tmp_path):
    rows = [{"claim": "a", "passage": "b", "lang": "en", "label": name} for name in ("not_found", "supported")]
    assert [one.verdict for one in read_claims(written(tmp_path / "c.gz", rows))] == [2, 0]


def test_a_question_is_said_word_by_word_in_the_other_language():
    assert "warranty" in in_english(SHIPPED)("保修期多长？")
    assert "公司" in in_chinese(SHIPPED)("Where is the company?")
    assert in_chinese(SHIPPED)("Qwxz zzqy vvrt") == ""


def test_a_paragraph_asks_for_the_window_of_the_other_language_that_holds_its_translation():
    pairs = [
        Pair(" ".join(f"word{number}{n}" for n in range(30)), f"段落{number}" * 20, "some/docs") for number in range(12)
    ]
    asked = list(of_parallel_text(pairs, seed=1))
    assert asked
    for one in asked:
        [answer] = one.answers
        assert answer.evidence in answer.passage
        assert all(answer.evidence not in other.passage for other in one.others)
        assert one.lang in ("zh-en", "en-zh")
