import pytest

from khub.components.converters.document_title import read_front_matter
from khub.components.text.chunk_text import file_words
from khub.eval.retrieve.passages import read_retrieval_set, write_passages

pytestmark = pytest.mark.unit


def test_titles_and_texts(beir):
    passages = [
        ("a", "Super_Bowl_50", "One."),
        ("b", 'He said: "no"\n# x', "--- two"),
        ("c", "", " \n"),
        ("d", "Daffodil", ""),
    ]
    data = read_retrieval_set(beir("set", passages, [("q", "one")], [("q", "a", 1)]), with_title=True)
    assert [tuple(p) for p in data.passages] == [
        ("a", "Super Bowl 50", "One."), ("b", 'He said: "no" # x', "--- two"), ("d", "Daffodil", "")
    ]  # fmt: skip
    assert (data.name, data.blank, data.queries, data.gains) == ("set", 1, {"q": "one"}, {"q": {"a": 1.0}})
    folder = write_passages(data)
    files = sorted(folder.rglob("*.md"))
    read = [read_front_matter(file.read_text(encoding="utf-8")) for file in files]
    assert [(fields["title"], text) for fields, text in read] == [
        ("Super Bowl 50", "One.\n"),
        ('He said: "no" # x', "--- two\n"),
        ("Daffodil", "Daffodil\n"),
    ]
    assert [data.passage_of(file.relative_to(folder).as_posix()) for file in files] == ["a", "b", "d"]


def test_without_titles(beir):
    data = read_retrieval_set(beir(), with_title=False)
    assert {passage.title for passage in data.passages} == {""}
    text = next(write_passages(data).rglob("*.md")).read_text(encoding="utf-8")
    assert "title" not in read_front_matter(text)[0]


def test_the_name_of_a_file_adds_no_word(beir):
    file = next(write_passages(read_retrieval_set(beir(), with_title=True)).rglob("*.md"))
    assert file_words(str(file)) == ""


def test_the_same_passages_are_written_once(beir):
    data = read_retrieval_set(beir(), with_title=True)
    folder = write_passages(data)
    before = {file: file.stat().st_mtime_ns for file in folder.rglob("*.md")}
    assert write_passages(data) == folder
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*.md")} == before
    (folder / ".complete").unlink()  # as a stop leaves it
    assert write_passages(data) == folder
    assert (
        write_passages(read_retrieval_set(beir("other", [("p1", "", "x")], [("q", "x")], [("q", "p1", 1)]), True))
        != folder
    )
