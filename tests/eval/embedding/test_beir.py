import pytest

from khub.components.errors import KhubError
from khub.eval.retrieve.beir import read_dataset
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def test_what_is_judged_relevant_is_read(beir):
    data = read_dataset(beir(), with_title=False)
    assert data.name == "small"
    assert list(data.passages) == ["p1", "p2", "p3", "p4"]
    assert data.queries == {"q1": "How do I reset my password?", "q2": "年假可以顺延吗？"}
    assert data.gains == {"q1": {"p1": 2.0}, "q2": {"p4": 1.0}}


def test_titles_stand_before_the_text_if_wanted(beir):
    folder = beir()
    with_title, without = (read_dataset(folder, wanted).passages for wanted in (True, False))
    assert with_title["p3"].startswith("Robots\n")
    assert without["p3"] == "The battery of the robot lasts eleven hours."
    assert with_title["p2"] == without["p2"]


def test_lines_end_at_newlines_alone(beir):
    folder = beir(queries=[("q1", "one\u2028question\x85"), ("q2", "年假")])
    assert read_dataset(folder, False).queries["q1"] == "one\u2028question\x85"


def test_a_set_without_anything_to_find_is_refused(beir):
    folder = beir(judged=[("q1", "gone", 1), ("q2", "p4", 0)])
    with raises_code("evaluation_failed", "small", "query"):
        read_dataset(folder, False)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
@pytest.mark.parametrize(
    "content", [None, b"half a {", b"\xff\n\n", b'{"_id": 1}\n[2]\n', b'{"_id": "a", "text": null}']
)
def test_a_missing_or_damaged_file_is_named(beir, name, content):
    path = beir() / name
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(KhubError) as caught:
        read_dataset(path.parents[name.count("/")], False)
    said = str(caught.value)
    assert str(path) in said or (name == "qrels/test.tsv" and "no query" in said)
    assert "corpus.jsonl, queries.jsonl and qrels/test.tsv" in caught.value.remedy
