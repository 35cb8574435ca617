import pytest

from khub.components.converters.conversion import build_markitdown, convert_bytes
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def read():
    markitdown = build_markitdown()
    return lambda text, name="a.json": convert_bytes(markitdown, text.encode(), name, 50)


def test_records_under_their_names(read):
    text = read('[{"name": "Ann", "age": 1.50, "tags": ["x", "y"], "home": {"city": "Rome"}}, {"id": 7, "ok": null}]')
    assert (
        text["text"]
        == "## Ann\n\n* name: Ann\n* age: 1.50\n* tags: x, y\n* home:\n  * city: Rome\n\n* id: 7\n* ok: none"
    )


def test_sections_of_an_object(read):
    converted = read(
        '{"title": "Stock", "on": true, "items": [{"name": "A", "n": 1}, {"n": 2, "p": [{"a": 1, "b": 2}]}]}'
    )
    assert converted["text"] == (
        "* title: Stock\n* on: yes\n\n## items\n\n### A\n\n* name: A\n* n: 1\n\n* n: 2\n* p:\n  * a: 1; b: 2"
    )
    assert converted["title"] == "Stock"


def test_lines_of_json(read):
    assert read('{"a": 1}\n\n{"a": "x"}\n', "a.jsonl")["text"] == "* a: 1\n\n* a: x"
    with raises_code("source_damaged", "line 2", "'a.ndjson'"):
        read('{"a": 1}\n{"a": \n', "a.ndjson")


def test_long_text_keeps_its_lines(read):
    story = "\\n".join(["A line of the story"] * 15)
    assert "* text:\n\nA line of the story\nA line" in read(f'[{{"text": "{story}"}}]')["text"]


def test_json_with_comments_stays_code(read):
    assert read('{"a": 1} // why')["text"] == '```json\n{"a": 1} // why\n```'
