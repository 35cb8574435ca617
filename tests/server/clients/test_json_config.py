import json

import pytest

from server.clients.json_config import json_entry, with_json_entry

pytestmark = pytest.mark.unit
ENTRY = {"command": "/x/python", "args": ["-m", "y"], "env": {"KHUB_HOME": "/数据"}}
COMMENTED = """// my servers
{
  // those that I use
  "servers": {
    "weather": { "command": "npx" }, // outside only
    /* "old": {}, */
    "hub": {"command": "old"}, // mine
    "files": {"url": "http://x/y//z"},
  },
  "inputs": [],
}
"""


def added(text, name="hub", comments=False):
    return with_json_entry(text, "servers", name, ENTRY, comments)


@pytest.mark.parametrize("text", ["", "  \n", "{}", '{"servers": {}}', '{\n  "theme": "dark"\n}\n'])
def test_an_entry_is_added_whatever_is_there(text):
    before = json.loads(text or "{}") if text.strip() else {}
    assert json.loads(added(text)) == {**before, "servers": {"hub": ENTRY}}


def test_what_is_there_stays_to_the_letter():
    text = '{"b": 1.50,\n\t"servers": {"z": {"n": 1e3}},   "a": "\\u4e2d"}'
    changed = added(text)
    assert '{"b": 1.50,\n\t"servers": {' in changed
    assert changed.endswith('"z": {"n": 1e3}},   "a": "\\u4e2d"}')
    assert json.loads(changed)["servers"] == {"hub": ENTRY, "z": {"n": 1000.0}}


def test_the_same_again_changes_nothing():
    once = added('{"servers": {"z": {}}}')
    assert added(once) == once


def test_an_entry_is_replaced_in_its_place():
    changed = added('{"servers": {"a": {}, "hub": {"command": "old"}, "b": {}}}')
    assert list(json.loads(changed)["servers"]) == ["a", "hub", "b"]
    assert json.loads(changed)["servers"]["hub"] == ENTRY


@pytest.mark.parametrize("name", ["weather", "hub", "files", "new"])
def test_comments_and_trailing_commas_stay(name):
    changed = added(COMMENTED, name, comments=True)
    for remark in ("// my servers", "// those that I use", "// outside only", '/* "old": {}, */', "// mine"):
        assert remark in changed
    assert json_entry(changed, "servers", name, comments=True) == ENTRY
    assert '"url": "http://x/y//z"' in changed or name == "files"


@pytest.mark.parametrize("name", ["weather", "hub", "files"])
def test_an_entry_is_removed_and_comments_stay(name):
    changed = with_json_entry(COMMENTED, "servers", name, None, comments=True)
    assert json_entry(changed, "servers", name, comments=True) is None
    assert sum(json_entry(changed, "servers", other, True) is not None for other in ("weather", "hub", "files")) == 2
    assert "// those that I use" in changed


@pytest.mark.parametrize(
    "text",
    ['{"servers": {"hub": {}}}', '{"servers": {"a": 1, "hub": {}}}', '{"servers": {"hub": {}, "a": 1}}', "{}", ""],
)
def test_what_was_added_can_be_removed(text):
    left = json.loads(with_json_entry(text, "servers", "hub", None, False) or "{}")
    assert "hub" not in left.get("servers", {})


def test_line_ends_stay():
    assert added('{\r\n  "servers": {}\r\n}\r\n').replace("\r\n", "").count("\n") == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n "servers": {,}\n}', "line 2"),
        ("[]", "list"),
        ('{"servers": []}', "'servers' in it is no object, but list"),
        ('{"servers": {}} // no', "no JSON"),
        ('{"servers": {"hub": 1, "hub": 2}}', "cannot be changed"),
    ],
)
def test_a_file_that_is_not_understood_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        with_json_entry(text, "servers", "hub", None, comments=False)
