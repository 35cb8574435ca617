"""`khub eval verify` as a person types it."""

import pytest
import typer
from typer.testing import CliRunner

from khub.eval.commands.verify import verify_claims

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("words", [["of_mine.jsonl"], ["--claims", "of_mine.jsonl"]])
def test_the_claims_may_be_the_argument(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    app.command()(verify_claims)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 1
    assert "of_mine.jsonl" in str(done.exception)
