"""Golden sets: what a line may hold, and what is said of one that is wrong."""

import json
from pathlib import Path

import pytest

from khub.components.errors import KhubError
from khub.eval.cases import Case, Place, read_cases
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit

GOLDEN = Path(__file__).parents[2] / "eval" / "golden"
ROW = {
    "id": "c-1", "question": "How deep do herons wade?", "language": "en", "kind": "fact", "answerable": True,
    "answer": "ankle-deep", "source": "birds/heron.pdf", "page": 2, "evidence": "wade ankle-deep",
}  # fmt: skip


@pytest.fixture
def golden_file(tmp_path):
    def write(*rows):
        file = tmp_path / "birds.jsonl"
        lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
        file.write_text("\n".join(lines), encoding="utf-8")
        return file

    return write


def test_a_line_becomes_a_case_with_its_own_place(golden_file):
    [case] = read_cases(golden_file(ROW))
    place = Place("birds/heron.pdf", 2, "wade ankle-deep", 2)
    assert case == Case("c-1", "How deep do herons wade?", "en", "fact", True, "ankle-deep", (place,))


def test_relevant_places_take_the_place_of_the_own_one(golden_file):
    places = [
        {"source": "a.md", "page": None, "evidence": "x", "grade": 1},
        {"source": "b.md", "page": 3, "evidence": "y", "grade": 2},
    ]
    [case] = read_cases(golden_file({**ROW, "relevant": places}))
    assert [place.as_dict() for place in case.relevant] == places


def test_a_case_comes_back_from_the_dict_that_graphs_get():
    case = Case.from_dict(ROW)
    assert Case.from_dict(json.loads(json.dumps(case.as_dict()))) == case
    nothing = Case.from_dict({**ROW, "answerable": False, "kind": "unanswerable", "source": None})
    assert Case.from_dict(nothing.as_dict()) == nothing


def test_what_is_left_out_is_filled_in(golden_file):
    one, other = read_cases(golden_file({"question": "酒店上限是多少？", "source": "a.md"}, "", {"question": "Who?"}))
    assert (one.id, one.language, one.kind, one.answerable) == ("birds-001", "zh", "fact", True)
    assert one.relevant == (Place("a.md", None, "", 2),)
    assert (other.id, other.language, other.kind, other.answerable) == ("birds-003", "en", "unanswerable", False)


@pytest.mark.parametrize(
    ("change", "key", "remedy"),
    [
        ({"question": " "}, "question", "give a text"),
        ({"language": "fr"}, "language", "en, zh"),
        ({"kind": "riddle"}, "kind", "paraphrase"),
        ({"kind": "unanswerable"}, "kind", "does not go with"),
        ({"answerable": "yes"}, "answerable", "true or false"),
        ({"answerable": False}, "answerable", "take the source away"),
        ({"source": None}, "source", "set answerable false"),
        ({"source": "/etc/passwd"}, "source", "from the documents' folder"),
        ({"source": "a\\b.md"}, "source", "with / between"),
        ({"source": "../b.md"}, "source", "from the documents' folder"),
        ({"source": "C:/b.md"}, "source", "from the documents' folder"),
        ({"page": 0}, "page", "from 1"),
        ({"page": "2"}, "page", "from 1"),
        ({"page": True}, "page", "from 1"),
        ({"evidence": 5}, "evidence", "a text or null"),
        ({"relevant": ["a.md"]}, "relevant", "a list of {source"),
        ({"relevant": [{"source": "a.md", "grade": 3}]}, "grade", "2 (answers it)"),
        ({"evidense": "x"}, "evidense", "did you mean 'evidence'?"),
        ({"relevant": [{"source": "a.md", "pages": 3}]}, "pages", "did you mean 'page'?"),
    ],
)
def test_a_wrong_line_is_named_with_file_line_key_and_remedy(golden_file, change, key, remedy):
    file = golden_file({**ROW, "id": "fine"}, {**ROW, **change})
    with pytest.raises(KhubError) as caught:
        read_cases(file)
    message = str(caught.value)
    assert f"{file}:2" in message
    assert key in message
    assert remedy in message


@pytest.mark.parametrize("more", [{"answer": "ankle-deep"}, {"contexts": ["wade ankle-deep"]}])
def test_a_set_of_another_form_is_no_set_of_unanswerable_questions(golden_file, more):
    row = {"question": "How deep do herons wade?", **more}
    with raises_code("golden_set_invalid", ":1: source is null"):
        read_cases(golden_file(row))
    for said in ({"answerable": False}, {"kind": "unanswerable"}):
        assert not read_cases(golden_file({**row, **said}))[0].answerable


@pytest.mark.parametrize("line", ["{", "[]", "7"])
def test_a_line_that_is_no_object_is_named(golden_file, line):
    with pytest.raises(KhubError, match=r"birds\.jsonl:1 is not"):
        read_cases(golden_file(line))


def test_ids_stand_once(golden_file):
    with raises_code("golden_set_invalid", ':2: id is "c-1"'):
        read_cases(golden_file(ROW, ROW))


def test_an_empty_or_missing_set_is_refused(golden_file, tmp_path):
    with pytest.raises(KhubError, match="holds no question"):
        read_cases(golden_file(""))
    with pytest.raises(KhubError, match="cannot be read"):
        read_cases(tmp_path / "none.jsonl")


def test_a_set_in_another_encoding_is_refused(tmp_path):
    file = tmp_path / "gbk.jsonl"
    file.write_bytes('{"question": "预算"}'.encode("gbk"))
    with pytest.raises(KhubError, match="not UTF-8"):
        read_cases(file)


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.jsonl")), ids=lambda file: file.stem)
def test_the_shipped_sets_can_be_read(file):
    assert read_cases(file)
