import tomllib

import pytest

from khub.server.clients.toml_config import toml_entry, with_toml_entry

pytestmark = pytest.mark.unit
ENTRY = {"command": "C:\\x\\python.exe", "args": ["-m", "y"], "startup_timeout_sec": 30, "env": {"KHUB_HOME": "/数 据"}}
TEXT = '''# how I like it
model = "gpt"  # the good one

[mcp_servers.weather]
command = "npx" # outside only

# mine
[mcp_servers.hub]
command = "old"
args = [
  "a",
]

[mcp_servers.hub.env]
A = "1"

# profiles come last
[profiles.x]
note = """
[mcp_servers.hub]
"""
'''
APART = "[mcp_servers.a]\nx = 1\n[z]\nb = 1\n[mcp_servers.hub]\ncommand = 'x'\n"


def without_hub(text):
    document = tomllib.loads(text)
    document.get("mcp_servers", {}).pop("hub", None)
    return {key: value for key, value in document.items() if value != {}}


@pytest.mark.parametrize("text", ["", 'model = "x"\n', "[mcp_servers]\n", "[mcp_servers.a]\ncommand = 'b'"])
def test_an_entry_is_added_whatever_is_there(text):
    changed = with_toml_entry(text, "mcp_servers", "hub", ENTRY)
    assert tomllib.loads(changed)["mcp_servers"]["hub"] == ENTRY
    assert changed.startswith(text.rstrip())


def test_comments_and_all_else_stay():
    changed = with_toml_entry(TEXT, "mcp_servers", "hub", ENTRY)
    assert toml_entry(changed, "mcp_servers", "hub") == ENTRY
    assert without_hub(changed) == without_hub(TEXT)
    assert [line for line in changed.splitlines() if "#" in line] == [line for line in TEXT.splitlines() if "#" in line]


def test_a_table_may_be_written_anywhere():
    for text in ("mcp_servers.hub.command = 'x'\n", "[mcp_servers]\nhub = {command = 'x'}\n", APART):
        changed = with_toml_entry(text, "mcp_servers", "hub", ENTRY)
        assert toml_entry(changed, "mcp_servers", "hub") == ENTRY
        removed = with_toml_entry(changed, "mcp_servers", "hub", None)
        assert without_hub(removed) == without_hub(text)


def test_the_same_again_changes_nothing():
    once = with_toml_entry(TEXT, "mcp_servers", "hub", ENTRY)
    assert with_toml_entry(once, "mcp_servers", "hub", ENTRY) == once


def test_an_entry_is_removed():
    changed = with_toml_entry(TEXT, "mcp_servers", "hub", None)
    assert toml_entry(changed, "mcp_servers", "hub") is None
    assert without_hub(changed) == without_hub(TEXT)
    assert "# profiles come last" in changed
    assert with_toml_entry(changed, "mcp_servers", "hub", None) == changed


def test_a_name_that_needs_quotes():
    assert toml_entry(with_toml_entry("", "mcp_servers", "my hub", ENTRY), "mcp_servers", "my hub") == ENTRY


def test_line_ends_stay():
    assert "\n" not in with_toml_entry("a = 1\r\n", "mcp_servers", "hub", ENTRY).replace("\r\n", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = \n", "no TOML"),
        ("mcp_servers = 1", "is no table, but int"),
        ("mcp_servers = {}\n", "inline table"),
    ],
)
def test_a_file_that_is_not_understood_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        with_toml_entry(text, "mcp_servers", "hub", ENTRY)
