import json

import pytest

from khub.server.clients.json_config import json_entry, with_json_entry

pytestmark = pytest.mark.unit
ENTRY = {"command": "/x/python", "args": ["-m", "y"], "env": {"KHUB_HOME": "/数据"}}


def added(text):
    return with_json_entry(text, "servers", "hub", ENTRY)


@pytest.mark.parametrize(
    "text",
    ["", "  \n", "{}", '{"servers": {}}', '{"theme": "中", "servers": {"a": {"n": 1.5}, "hub": {"command": "old"}}}'],
)
def test_an_entry_is_set_and_what_is_there_stays(text):
    wanted = json.loads(text) if text.strip() else {}
    wanted.setdefault("servers", {})["hub"] = ENTRY
    changed = added(text)
    assert json.loads(changed) == wanted
    assert json_entry(changed, "servers", "hub") == ENTRY
    assert list(json.loads(changed)) == list(wanted)


def test_the_same_again_changes_nothing():
    compact = json.dumps({"servers": {"z": {}, "hub": ENTRY}})
    assert added(compact) == compact


@pytest.mark.parametrize(
    "text", ['{"servers": {"hub": {}}}', '{"servers": {"a": 1, "hub": {}}, "b": [2]}', '{"servers": {}}', "{}", ""]
)
def test_an_entry_is_removed(text):
    wanted = json.loads(text or "{}")
    wanted.get("servers", {}).pop("hub", None)
    left = with_json_entry(text, "servers", "hub", None)
    assert json.loads(left or "{}") == wanted
    assert with_json_entry(left, "servers", "hub", None) == left


def test_line_ends_stay():
    assert added('{\r\n  "servers": {}\r\n}\r\n').replace("\r\n", "").count("\n") == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{\n "servers": {,}\n}', "line 2"),
        ("[]", "list"),
        ('{"servers": []}', "'servers' in it is no object, but list"),
        ('{"servers": {}} // no', "comments"),
    ],
)
def test_a_file_that_is_not_understood_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        with_json_entry(text, "servers", "hub", None)
