"""Fixtures of the commands that put questions to graphs and measure the answers."""

import json

import pytest
import typer
from typer.testing import CliRunner

from khub.eval.retrieve import asking
from khub.eval.retrieve.ranking import Ranking
from khub.eval.run import throw_away_collection


def runner(command, report, folder):
    """Return a function that runs a command and gives its result, with its JSON report as `report`."""
    app = typer.Typer()
    app.command()(command)

    def run(*arguments):
        result = CliRunner().invoke(app, [*map(str, arguments), "--out", str(folder)])
        file = folder / report
        result.report = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
        return result

    return run


@pytest.fixture(autouse=True)
def unchanged_code(monkeypatch):
    """The hub's code stays the same during a test, whoever is working on it."""
    monkeypatch.setattr(asking, "code_hash", lambda: "code")
    monkeypatch.setattr(throw_away_collection, "filling_code_hash", lambda: "code")


class Log(list):
    """The questions that went through a graph, in their order; the command is stopped at number `stop_at`."""

    stop_at = None


@pytest.fixture
def asked(monkeypatch):
    log = Log()
    ask = Ranking.ask

    def noted(self, text, *arguments):
        log.append(text)
        if len(log) == log.stop_at:
            raise KeyboardInterrupt
        return ask(self, text, *arguments)

    monkeypatch.setattr(Ranking, "ask", noted)
    return log
