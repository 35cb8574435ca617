import os
import sys
from pathlib import Path

import pytest

from khub.components.trust import decide_module
from khub.server.clients.launch import server_launch

pytestmark = pytest.mark.unit


def test_every_path_is_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KHUB_HOME", "hub")
    monkeypatch.setenv("KHUB_PIPELINES", "graphs")
    launch = server_launch()
    assert launch.command == sys.executable
    assert Path(launch.command).is_absolute()
    assert launch.env["KHUB_HOME"] == str(tmp_path / "hub")
    assert launch.env["KHUB_PIPELINES"] == str(tmp_path / "graphs")
    assert launch.args == ["-P", "-m", "khub.server.cli", "mcp"]


def test_writing_and_its_folders_are_passed_on(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    launch = server_launch(allow_write=True, roots=[Path("a"), tmp_path / "b"])
    assert launch.args[4:] == ["--allow-write", "--root", str(tmp_path / "a"), "--root", str(tmp_path / "b")]


def test_what_restricts_and_extends_the_hub_holds_for_the_client_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f".{os.pathsep}parts")
    monkeypatch.delenv("KHUB_ALLOWED_MODULES", raising=False)
    monkeypatch.delenv("KHUB_ACCESS", raising=False)
    assert set(server_launch().env) == {"KHUB_HOME", "KHUB_PIPELINES"}

    decide_module("few_per_document", True)
    assert set(server_launch().env) == {"KHUB_HOME", "KHUB_PIPELINES", "PYTHONPATH"}
    decide_module("few_per_document", False)

    monkeypatch.setenv("KHUB_ACCESS", "public")
    monkeypatch.setenv("KHUB_ALLOWED_MODULES", "few_per_document")
    env = server_launch().env
    assert (env["KHUB_ACCESS"], env["KHUB_ALLOWED_MODULES"]) == ("public", "few_per_document")
    assert env["PYTHONPATH"] == f"{tmp_path}{os.pathsep}{tmp_path / 'parts'}"
