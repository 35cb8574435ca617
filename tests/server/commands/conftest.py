import json

import pytest
from typer.testing import CliRunner

from khub.server.cli import app

FILES = {
    "ember.md": "# Ember manual\n\n## Battery\n\nThe battery of the Ember robot lasts eleven hours.\n",
    "年假 制度.md": "# 年假制度\n\n员工每年有十五天年假，未休完的年假可以顺延到次年三月。\n",
    "notes.txt": "The gateway listens on port 8443 and restarts every night.\n",
}


@pytest.fixture
def files(tmp_path):
    """Return a folder of small documents."""
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def khub():
    """Return a function that runs the command in this process."""
    runner = CliRunner()
    return lambda *arguments, **more: runner.invoke(app, [str(a) for a in arguments], **more)


@pytest.fixture
def khub_json(khub):
    """Return a function that runs the command with --json and returns the one value it writes."""

    def run(*arguments, code=0):
        result = khub(*arguments, "--json")
        assert result.exit_code == code, result.output
        return json.loads(result.stdout)

    return run


@pytest.fixture
def filled(files, khub_json):
    """Fill the default collection; return the folder of its files."""
    khub_json("ingest", files)
    return files
