import json

import pytest
import typer
from typer.testing import CliRunner

from eval.commands.retrieve import retrieve
from eval.retrieve import asking
from eval.retrieve.ranking import Ranking
from eval.run import throw_away_collection

PASSAGES = [
    ("p1", "Herons", "A heron wades in shallow water and waits for fish."),
    ("p2", "Robots", "The battery of the robot lasts eleven hours."),
    ("p3", "Invoices", "An invoice is due within thirty days of delivery."),
    ("p4", "年假", "员工每年有十五天年假，未休完的可以顺延到次年三月。"),
]
QUERIES = [("q1", "Where does a heron wade?"), ("q2", "How long does the battery last?"), ("q3", "年假可以顺延吗？")]
JUDGED = [("q1", "p1", 1), ("q2", "p2", 2), ("q2", "p3", 1), ("q3", "p4", 1)]


@pytest.fixture
def beir(tmp_path):
    """Return a function that writes a data set, the small one unless told otherwise, and returns its folder."""

    def write(name="small", passages=PASSAGES, queries=QUERIES, judged=JUDGED):
        folder = tmp_path / name
        (folder / "qrels").mkdir(parents=True)
        lines = [json.dumps({"_id": key, "title": title, "text": text}) for key, title, text in passages]
        (folder / "corpus.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        lines = [json.dumps({"_id": key, "text": text}, ensure_ascii=False) for key, text in queries]
        (folder / "queries.jsonl").write_text("\n".join(lines), encoding="utf-8")
        rows = [("query-id", "corpus-id", "score"), *judged]
        text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
        (folder / "qrels" / "test.tsv").write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def khub(tmp_path):
    """Return a function that runs `khub eval retrieve` and gives its result, with the JSON report as `report`."""
    app = typer.Typer()
    app.command()(retrieve)

    def run(*arguments):
        result = CliRunner().invoke(app, [*map(str, arguments), "--out", str(tmp_path / "out")])
        file = tmp_path / "out" / "retrieve.json"
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
