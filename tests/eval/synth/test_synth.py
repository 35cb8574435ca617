"""`khub synth`: drafts of both languages over the samples, and how they become cases."""

import json
import re
from pathlib import Path

import pytest
import typer
import yaml
from typer.testing import CliRunner

from khub.components.errors import KhubError
from khub.components.home import hub_home
from khub.eval.cases import read_cases
from khub.eval.commands.synth import synth
from khub.eval.evaluators.matching import normalised
from khub.eval.run.golden_set import golden_sets
from khub.eval.synth.draft import HEAD, Draft, accepted_cases, add_drafts, read_rows
from khub.eval.synth.source_text import read_texts
from tests.error_codes import raises_code

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("converted_here")]

SAMPLES = Path(__file__).parents[3] / "eval" / "samples"
CHOSEN = (
    "deployment-handbook-zh.md",
    "ember-300-operator-manual-en.pdf",
    "handbook/glossary-en.csv",
    "travel-policy-zh.pdf",
)


@pytest.fixture
def khub():
    app = typer.Typer()
    app.command()(synth)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


def a_draft(question="What is a heron?", **other):
    fields = {
        "language": "en", "kind": "fact", "answer": "a bird", "source": "birds.md", "page": None,
        "evidence": "A heron is a bird", "by": "definition",
    }  # fmt: skip
    return Draft(question=question, **{**fields, **other})


def accept(file, *numbers):
    """Do what a person does in an editor."""
    parts = re.split(r"(?=accepted: false)", file.read_text(encoding="utf-8"))
    for number in numbers:
        parts[number] = parts[number].replace("accepted: false", "accepted: true", 1)
    file.write_text("".join(parts), encoding="utf-8")


def test_samples_give_drafts_of_both_languages_that_stand_in_them(khub, tmp_path):
    file = tmp_path / "drafts.yaml"
    done = khub(*(SAMPLES / name for name in CHOSEN), "--documents", SAMPLES, "--out", file)
    assert done.exit_code == 0, done.output
    rows = read_rows(file)
    assert {row["source"] for row in rows} == set(CHOSEN)
    assert {row["language"] for row in rows} == {"en", "zh"}
    assert {row["by"] for row in rows} >= {"number", "table cell", "identifier", "heading"}
    assert not any(row["accepted"] for row in rows)
    texts = {text.source: text.document for text in read_texts([str(SAMPLES / name) for name in CHOSEN], SAMPLES).read}
    for row in rows:
        document = texts[row["source"]]
        starts = document.meta.get("page_starts")
        own = document.content
        if starts:
            own = own[starts[row["page"] - 1] : [*starts, len(own)][row["page"]] + 200]  # a sentence may run over
        assert normalised(row["evidence"]) in normalised(own)
        assert row["question"][-1] in "?？"
    assert "服务器与机器人之间的时钟误差不得超过多少秒？" in [row["question"] for row in rows]


def test_drafts_are_no_golden_set(khub, tmp_path):
    file = tmp_path / "drafts.yaml"
    add_drafts(file, [a_draft()])
    with raises_code("golden_set_invalid", "drafts.yaml"):
        golden_sets([str(file)])
    as_set = tmp_path / "drafts.jsonl"
    as_set.write_bytes(file.read_bytes())
    with pytest.raises(KhubError, match="is not JSON"):
        golden_sets([str(as_set)])
    with pytest.raises(KhubError, match=r"ends in \.yaml"):
        add_drafts(tmp_path / "new.jsonl", [a_draft()])


def test_only_accepted_drafts_become_cases(khub, tmp_path):
    file, golden = tmp_path / "drafts.yaml", tmp_path / "own.jsonl"
    add_drafts(file, [a_draft(), a_draft("What is a trout?"), a_draft("酒店上限是多少？", language="zh", page=3)])
    assert accepted_cases(file) == []
    assert "0 questions added" in khub("--accept", file, "--set", golden).output
    assert not golden.exists()
    accept(file, 1, 3)
    done = khub("--accept", file, "--set", golden)
    assert "2 questions added" in done.output
    assert "1 draft not accepted" in done.output
    cases = read_cases(golden)
    assert [case.question for case in cases] == ["What is a heron?", "酒店上限是多少？"]
    assert [(place.source, place.page, place.grade) for case in cases for place in case.relevant] == [
        ("birds.md", None, 2),
        ("birds.md", 3, 2),
    ]
    before = golden.read_bytes()
    assert "2 questions there already" in khub("--accept", file, "--set", golden).output
    assert golden.read_bytes() == before


def test_a_set_without_a_last_line_break_is_added_to(khub, tmp_path):
    file, golden = tmp_path / "drafts.yaml", tmp_path / "own.jsonl"
    golden.write_text(json.dumps({"question": "Is there a moon?"}), encoding="utf-8")
    add_drafts(file, [a_draft()])
    accept(file, 1)
    khub("--accept", file, "--set", golden)
    assert [case.question for case in read_cases(golden)] == ["Is there a moon?", "What is a heron?"]


def test_the_default_set_lies_in_the_hub(khub, tmp_path):
    file = tmp_path / "drafts.yaml"
    add_drafts(file, [a_draft()])
    accept(file, 1)
    khub("--accept", file)
    assert len(read_cases(hub_home() / "eval" / "golden.jsonl")) == 1


def test_what_a_person_has_edited_stays(tmp_path):
    file = tmp_path / "drafts.yaml"
    assert add_drafts(file, [a_draft(), a_draft("what is a HERON")]) == 1
    assert file.read_text(encoding="utf-8").startswith(HEAD)
    edited = file.read_text(encoding="utf-8").replace("a bird", "a wading bird  # better so")
    file.write_text(edited, encoding="utf-8")
    assert add_drafts(file, [a_draft(), a_draft("What is a trout?")]) == 1
    assert file.read_text(encoding="utf-8").startswith(edited)
    assert [row["answer"] for row in read_rows(file)] == ["a wading bird", "a bird"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": "x"}, "draft 1: accepted is None: write true or false"),
        ({"accepted": "yes"}, "accepted is 'yes'"),
        ({"acepted": True}, r"unknown key 'acepted': did you mean 'accepted'\?"),
        ({"accepted": True, "question": ""}, "draft 1: question"),
        ({"accepted": True, "question": "x", "source": "/etc/x", "id": "a"}, "from the documents' folder"),
    ],
)
def test_mistakes_are_told_with_file_and_draft(tmp_path, row, said):
    file = tmp_path / "drafts.yaml"
    file.write_text(yaml.safe_dump([row]), encoding="utf-8")
    with pytest.raises(KhubError, match=said) as raised:
        accepted_cases(file)
    assert str(file) in str(raised.value)


def test_files_that_hold_no_drafts_are_refused(tmp_path):
    file = tmp_path / "drafts.yaml"
    for text in ("a: 1\n", "- 1\n", "- [\n"):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(KhubError, match="drafts"):
            read_rows(file)
    with pytest.raises(KhubError, match="cannot be read"):
        read_rows(tmp_path / "none.yaml")


def test_options_that_do_not_go_together(khub, tmp_path):
    assert khub().exit_code == 2
    assert khub("x.md", "--accept", tmp_path / "d.yaml").exit_code == 2
    assert khub("x.md", "--set", "s.jsonl").exit_code == 2


def test_a_document_that_cannot_be_read_costs_only_itself(khub, tmp_path):
    (tmp_path / "good.md").write_text("The catalog is the database of all.\n", encoding="utf-8")
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    done = khub(tmp_path, "--out", tmp_path / "out" / "d.yaml")
    assert done.exit_code == 1
    assert "bad.pdf" in done.output
    assert [row["source"] for row in read_rows(tmp_path / "out" / "d.yaml")] == ["good.md"]
    assert isinstance(khub(tmp_path / "good.md", "--documents", tmp_path / "out").exception, KhubError)
