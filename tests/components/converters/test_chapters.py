import json

import pytest

from khub.components.converters.chapters import chapters_beside

pytestmark = pytest.mark.unit

LISTED = {
    "version": "1.2.0",
    "chapters": [
        {"startTime": 90.5, "title": "Second"},
        {"startTime": 0, "title": " First\npart "},
        {"startTime": 30, "title": "Hidden", "toc": False},
        {"startTime": 60, "img": "https://example.org/a.png"},
    ],
}


def beside(tmp_path, name, content):
    (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return [(one.start, one.title) for one in chapters_beside(tmp_path / "talk.mp3")]


@pytest.mark.parametrize("name", ["talk.chapters.json", "talk_chapters.json", "talk.json"])
def test_chapters_of_a_file_beside_the_recording(tmp_path, name):
    assert beside(tmp_path, name, LISTED) == [(0, "First part"), (90.5, "Second")]


@pytest.mark.parametrize(
    "content",
    [
        "no JSON", "[" * 100_000, [], {"chapters": 3}, {"chapters": [3]}, {"chapters": [{"title": "A"}]},
        {"chapters": [{"title": "A", "startTime": "x"}]}, '{"chapters": [{"title": "A", "startTime": Infinity}]}',
    ],
)  # fmt: skip
def test_another_file_of_that_name_has_no_chapters(tmp_path, content):
    assert beside(tmp_path, "talk.json", content) == []


def test_chapters_of_another_recording_are_left_alone(tmp_path):
    assert beside(tmp_path, "other.chapters.json", LISTED) == []
