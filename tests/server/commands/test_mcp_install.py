import json
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "user")
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def servers(project):
    return json.loads((project / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]


def test_the_hub_is_entered_and_taken_out(khub, project, monkeypatch, tmp_path):
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "hub"))
    done = khub("mcp", "install", "--client", "claude-code")
    assert (done.exit_code, done.stderr.count("\n")) == (0, 1)
    assert str(project / ".mcp.json") in done.stdout
    assert "holds no documents yet" in done.stderr
    entry = servers(project)["knowledge-hub"]
    assert entry["command"] == sys.executable
    assert entry["env"]["KHUB_HOME"] == str(tmp_path / "hub")

    assert "already" in khub("mcp", "install", "--client", "claude-code").stdout
    gone = khub("mcp", "install", "--client", "claude-code", "--uninstall")
    assert ".bak" in gone.stdout
    assert servers(project) == {}
    assert "is not in" in khub("mcp", "install", "--client", "claude-code", "--uninstall").stdout


def test_options_are_passed_on(khub, project, tmp_path):
    arguments = ("--name", "papers", "--allow-write", "--root", tmp_path, "--dir", project)
    assert khub("mcp", "install", "--client", "claude-code", *arguments).exit_code == 0
    entry = servers(project)["papers"]
    assert entry["args"][3:] == ["mcp", "--allow-write", "--root", str(tmp_path)]


def test_print_writes_nothing(khub, project):
    done = khub("mcp", "install", "--client", "claude-code", "--print")
    assert json.loads(done.stdout)["mcpServers"]["knowledge-hub"]["type"] == "stdio"
    assert "claude mcp add-json --scope user knowledge-hub" in done.stderr
    assert list(project.iterdir()) == []


def test_a_broken_file_is_one_line(khub, project):
    (project / ".mcp.json").write_text("{", encoding="utf-8")
    done = khub("mcp", "install", "--client", "claude-code")
    assert done.exit_code == 1
    assert f"khub: {project / '.mcp.json'} " in done.stderr
    assert "JSON (line 1" in done.stderr
    assert (project / ".mcp.json").read_text(encoding="utf-8") == "{"


@pytest.mark.parametrize("name", ["", "my hub", "a" * 65, "../x"])
def test_a_name_that_no_client_takes(khub, name):
    assert khub("mcp", "install", "--client", "continue", "--name", name).exit_code == 2


def test_an_unknown_client_is_told_the_known_ones(khub):
    done = khub("mcp", "install", "--client", "emacs")
    assert done.exit_code == 2
    assert "claude-desktop" in done.stderr


def test_skills_are_written(khub, tmp_path):
    done = khub("skills", "install", "--dir", tmp_path / "skills")
    assert done.stdout.count("written: ") == 4
    assert (tmp_path / "skills" / "rag-query" / "SKILL.md").exists()
    assert khub("skills", "install", "--dir", tmp_path / "skills").stdout.count("unchanged: ") == 4


def test_skills_go_where_claude_code_looks(khub, project):
    assert khub("skills", "install").exit_code == 0
    assert (project / ".claude" / "skills" / "rag-eval" / "SKILL.md").exists()
