import json
import os
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from khub.server.clients.clients import CLIENTS, ClientName
from khub.server.clients.config_file import ClientConfigError
from khub.server.clients.install import install, shell_command, snippet, uninstall
from khub.server.clients.launch import Launch
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit
LAUNCH = Launch("/x/python", ["-m", "khub.server.cli", "mcp"], {"KHUB_HOME": "/数据"})
HELD = {
    "json": '{"a": {"b": 1}}\n',
    "toml": "a = {b = 1}\n",
    "yaml": "a: {b: 1}\n",
}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "user")
    for variable in ("CODEX_HOME", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "user"


def entry_in(client, path):
    text = path.read_text(encoding="utf-8")
    kind = CLIENTS[client]
    if kind.form == "toml":
        return tomllib.loads(text)[kind.section]["hub"]
    if kind.form == "yaml":
        return next(item for item in yaml.safe_load(text)[kind.section] if item["name"] == "hub")
    return json.loads(text)[kind.section]["hub"]


@pytest.mark.parametrize("client", ClientName)
def test_the_server_is_entered_once_and_taken_out_again(client):
    made = install(client, "hub", LAUNCH)
    assert made.changed
    assert made.backup is None
    entry = entry_in(client, made.path)
    assert (entry["command"], entry["args"], entry["env"]) == (LAUNCH.command, LAUNCH.args, LAUNCH.env)
    assert not install(client, "hub", LAUNCH).changed
    assert list(made.path.parent.iterdir()) == [made.path]

    assert uninstall(client, "hub").changed
    assert not made.path.exists() or "hub" not in made.path.read_text(encoding="utf-8")
    assert not uninstall(client, "hub").changed


@pytest.mark.parametrize("client", ClientName)
def test_what_is_there_stays_and_is_kept_in_a_copy(client):
    kind = CLIENTS[client]
    path = kind.path(client, "hub", None)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HELD[kind.form], encoding="utf-8")
    change = install(client, "hub", LAUNCH)
    assert change.backup.read_text(encoding="utf-8") == HELD[kind.form]
    text = path.read_text(encoding="utf-8")
    assert "b" in text
    assert entry_in(client, path)["command"] == LAUNCH.command


@pytest.mark.parametrize("client", ClientName)
def test_a_broken_file_is_named_and_left_alone(client):
    path = CLIENTS[client].path(client, "hub", None)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{ broken: [", encoding="utf-8")
    for act in (lambda: install(client, "hub", LAUNCH), lambda: uninstall(client, "hub")):
        with pytest.raises(ClientConfigError, match=f"line .*--client {client} --print") as raised:
            act()
        assert str(path) in raised.value.message
    assert path.read_text(encoding="utf-8") == "{ broken: ["
    assert list(path.parent.iterdir()) == [path]


def test_what_a_user_added_to_the_entry_is_kept():
    install(ClientName.CURSOR, "hub", LAUNCH)
    path = CLIENTS[ClientName.CURSOR].path(ClientName.CURSOR, "hub", None)
    text = path.read_text(encoding="utf-8").replace('"KHUB_HOME"', '"MY_KEY": "1", "KHUB_HOME"')
    path.write_text(text.replace('"type": "stdio"', '"type": "stdio", "disabled": true'), encoding="utf-8")
    newer = Launch("/y/python", ["-m", "x"], {"KHUB_HOME": "/new"})
    install(ClientName.CURSOR, "hub", newer)
    entry = entry_in(ClientName.CURSOR, path)
    assert entry["env"] == {"MY_KEY": "1", "KHUB_HOME": "/new"}
    assert (entry["disabled"], entry["command"], entry["args"]) == (True, "/y/python", ["-m", "x"])


@pytest.mark.parametrize(
    ("platform", "client", "expected"),
    [
        ("linux", "claude-desktop", "user/.config/Claude/claude_desktop_config.json"),
        ("darwin", "claude-desktop", "user/Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", "claude-desktop", "user/AppData/Roaming/Claude/claude_desktop_config.json"),
        ("linux", "claude-code", "project/.mcp.json"),
        ("linux", "vscode", "project/.vscode/mcp.json"),
        ("linux", "cursor", "user/.cursor/mcp.json"),
        ("linux", "codex", "user/.codex/config.toml"),
        ("linux", "continue", "project/.continue/mcpServers/hub.yaml"),
    ],
)
def test_each_client_has_its_own_file(tmp_path, monkeypatch, platform, client, expected):
    monkeypatch.setattr(sys, "platform", platform)
    assert CLIENTS[ClientName(client)].path(ClientName(client), "hub", None) == tmp_path / expected


def test_the_clients_own_variables_move_their_files(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "x"))
    assert CLIENTS[ClientName.CODEX].path(ClientName.CODEX, "hub", None) == tmp_path / "c" / "config.toml"
    desktop = CLIENTS[ClientName.CLAUDE_DESKTOP].path(ClientName.CLAUDE_DESKTOP, "hub", None)
    assert desktop == tmp_path / "x" / "Claude" / "claude_desktop_config.json"


def test_a_folder_means_the_file_of_that_project(tmp_path):
    assert install(ClientName.CURSOR, "hub", LAUNCH, tmp_path).path == tmp_path / ".cursor" / "mcp.json"
    assert uninstall(ClientName.CURSOR, "hub", tmp_path).changed
    with raises_code("client_config_invalid", "claude-desktop", "--dir"):
        install(ClientName.CLAUDE_DESKTOP, "hub", LAUNCH, tmp_path)


def test_a_file_that_is_not_utf_8_is_refused(tmp_path):
    (tmp_path / "project" / ".mcp.json").write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ClientConfigError, match="not UTF-8"):
        install(ClientName.CLAUDE_CODE, "hub", LAUNCH)


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_stays_a_link(home, tmp_path):
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("a = 1\n", encoding="utf-8")
    kept.chmod(0o600)
    (home / ".codex").mkdir(parents=True)
    (home / ".codex" / "config.toml").symlink_to(kept)
    change = install(ClientName.CODEX, "hub", LAUNCH)
    assert change.path.is_symlink()
    assert "mcp_servers" in kept.read_text(encoding="utf-8")
    assert kept.stat().st_mode & 0o777 == 0o600


def test_every_copy_is_kept():
    project = Path.cwd()
    (project / ".mcp.json").write_text("{}", encoding="utf-8")
    kept = {install(ClientName.CLAUDE_CODE, f"hub{number}", LAUNCH).backup for number in range(3)}
    assert len(kept) == 3


def test_a_write_that_fails_leaves_the_file(monkeypatch):
    path = Path.cwd() / ".mcp.json"
    path.write_text("{}", encoding="utf-8")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ClientConfigError, match="No space left"):
        install(ClientName.CLAUDE_CODE, "hub", LAUNCH)
    assert path.read_text(encoding="utf-8") == "{}"
    assert not [left for left in path.parent.iterdir() if left.name.startswith("..")]


def test_what_is_shown_is_what_is_written():
    for client in ClientName:
        change = install(client, "hub", LAUNCH)
        assert snippet(client, "hub", LAUNCH) == change.path.read_text(encoding="utf-8")


def test_claude_code_has_a_command_of_its_own():
    *start, entry = shell_command(ClientName.CLAUDE_CODE, "hub", LAUNCH)
    assert start == ["claude", "mcp", "add-json", "--scope", "user", "hub"]
    assert json.loads(entry)["command"] == LAUNCH.command
    assert shell_command(ClientName.CURSOR, "hub", LAUNCH) == []
