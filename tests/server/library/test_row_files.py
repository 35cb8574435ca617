"""JSON lines and CSV as rows."""

import json

import pytest

from khub.components.errors import SourceError
from khub.server.library.row_files import Columns, read_rows
from khub.server.library.row_sources import file_of_row
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.fixture
def table(tmp_path):
    """Return a function that writes a file and reads its rows."""

    def read(name, content, **columns):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else "\n".join(map(json.dumps, content)), encoding="utf-8")
        return read_rows(path, Columns(**columns))

    return read


def ids(found):
    return [file_of_row(row["path"]) == found.path and row["path"].partition("#row=")[2] for row in found.rows]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", [{"id": 7, "title": "T", "text": "one"}, {"id": "8", "text": "two, too"}]),
        ("a.ndjson", '{"id": 7, "title": "T", "text": "one"}\r\n\n{"id": "8", "text": "two, too"}\n'),
        ("a.csv", 'id,title,text\n7,T,one\n8,,"two, too"\n'),
        ("a.CSV", '\ufeffid;title;text\r\n7;T;one\r\n8;;"two, too"\r\n'),
        ("a.tsv", "id\ttitle\ttext\n7\tT\tone\n8\t\ttwo, too\n"),
    ],
)
def test_every_kind_gives_the_same_rows(table, name, content):
    found = table(name, content)
    assert ids(found) == ["7", "8"]
    assert [(row["text"], row["title"] or None, row["meta"]) for row in found.rows] == [
        ("one", "T", {}), ("two, too", None, {}),
    ]  # fmt: skip
    assert (found.failed, found.renamed) == ([], [])


def test_columns_that_are_named_are_taken(table):
    rows = [{"id": 1, "sku": "A", "name": "Robot", "body": "It walks.", "text": "no", "title": "no"}]
    assert table("a.jsonl", rows, text="body").rows[0]["text"] == "It walks."
    assert table("a.jsonl", rows, title="name").rows[0]["title"] == "Robot"
    assert ids(table("a.jsonl", rows, id="sku")) == ["A"]
    assert table("a.jsonl", rows).rows[0]["meta"] == {"sku": "A", "name": "Robot", "body": "It walks."}


def test_without_ids_rows_are_numbered(table):
    assert ids(table("a.csv", "text\none\ntwo\n")) == ["1", "2"]


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({}, ("'text'", "--text-column")),
        ({"text": "x"}, ("'x'", "--text-column")),
        ({"text": "body", "title": "x"}, ("'x'", "--title-column")),
        ({"text": "body", "id": "x"}, ("'x'", "--id-column")),
    ],
)
def test_a_column_that_is_not_there_is_told(table, columns, named):
    with raises_code("source_unreadable", "'a.csv'", "(it has body, n)", *named):
        table("a.csv", "body,n\none,1\n", **columns)


def test_fields_keep_their_kind(table):
    fields = {"n": 7, "f": 1.5, "b": True, "zip": "00123", "s": "7", "l": ["a", 1]}
    row = {"text": "x", **fields, "d": {"k": 1}, "none": None}
    assert table("a.jsonl", [row]).rows[0]["meta"] == {**fields, "d": '{"k": 1}'}
    assert table("a.csv", "text,n,zip,b,e\nx,7,00123,true,\n").rows[0]["meta"] == {"n": 7, "zip": "00123", "b": True}


def test_columns_named_like_the_hubs_own_are_kept_under_another_name(table):
    found = table("a.csv", "text,page,language\nx,7,en\n")
    assert found.rows[0]["meta"] == {"column_page": 7, "column_language": "en"}
    assert found.renamed == ["page", "language"]


def test_bad_rows_fail_alone(table):
    found = table("a.jsonl", '{"id": 1, "text": "x"}\n{"id": 1, "text": "y"}\n{"text": "z"}\n{nothing\n[1]\n')
    assert ids(found) == ["1"]
    named = [("line 4 ", "JSON"), ("line 5 ", "JSON object"), ("row 2 ", "'1'", "row 1 "), ("row 3 ", "'id'")]
    for failure, words in zip(found.failed, named, strict=True):
        assert [word for word in words if word not in failure["error"]] == []
    assert all(failure["remedy"] and failure["source"] == found.path for failure in found.failed)


def test_half_characters_are_replaced(table):
    row = table("a.jsonl", '{"text": "a\\ud83d", "title": "\\udc00", "k": "\\ud83d"}').rows[0]
    assert (row["text"], row["title"], row["meta"]) == ("a?", "?", {"k": "?"})


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.md", b"x", "holds no rows"),
        ("a.csv", b"", "is empty"),
        ("a.csv", b"text\n\x00\x01", "is not a text file"),
    ],
)
def test_files_without_rows_are_refused(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=said):
        read_rows(tmp_path / name, Columns())
    with pytest.raises(SourceError, match="does not exist"):
        read_rows(tmp_path / "gone.csv", Columns())


def test_a_long_cell_is_read(table):
    assert len(table("a.csv", f"text\n{'x' * 200_000}\n").rows[0]["text"]) == 200_000


def test_a_document_that_is_no_row_has_no_table():
    assert file_of_row("/a/b.csv") is None
    assert file_of_row("/a/b.csv#row=7") == "/a/b.csv"


def test_the_line_that_names_the_delimiter_is_no_row(table):
    found = table("a.csv", "sep=;\nid;text\n1;pump, valve\n")
    assert [row["text"] for row in found.rows] == ["pump, valve"]
