import pytest

from khub.components.answer import Answer, Degraded
from khub.server.commands.rendered_markdown import render_markdown

pytestmark = pytest.mark.integration


def test_answers_in_markdown(khub, filled):
    result = khub("query", "How long does the battery last?")
    assert result.exit_code == 0
    assert "**[1] Ember manual" in result.stdout
    assert "eleven hours" in result.stdout


def test_json_is_the_answer(khub_json, filled):
    answer = khub_json("query", "年假可以顺延吗", "--top-k", 1)
    assert [c["title"] for c in answer["citations"]] == ["年假制度"]
    assert {"graph", "trace_id", "timings_ms", "legs", "degraded", "collection"} <= set(answer)


def test_a_dash_reads_standard_input(khub, filled):
    result = khub("query", "-", input="Which port does the gateway use?\n")
    assert "8443" in result.stdout


def test_filters_are_joined(khub_json, filled):
    everything = khub_json("query", "battery port gateway Ember robot", "-k", 10)
    kept = khub_json(
        "query", "battery port gateway Ember robot", "--filter", "doc_type=text", "--filter", "language=en"
    )
    assert len(everything["citations"]) > 1
    assert [c["title"] for c in kept["citations"]] == ["notes.txt"]


def test_legs_are_chosen(khub_json, filled):
    legs = khub_json("query", "battery", "--legs", "sparse")["legs"]
    assert {leg["name"]: leg["used"] for leg in legs} == {"dense": False, "sparse": True}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--legs", "keyword"], "'keyword' is no leg"),
        (["--legs", "dense,"], "'' is no leg"),
        (["--top-k", "0"], "--top-k"),
        (["--top-k", "many"], "--top-k"),
        (["--collection", ""], "--collection"),
        (["--collection", "\udcff"], "not valid UTF-8"),
    ],
)
def test_bad_option_values_are_usage_errors(khub, arguments, said):
    result = khub("query", "battery", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["  "], "is empty"),
        (["x" * 100_000], "100000 characters"),
        (["battery", "-c", "nowhere"], "'nowhere': existing collections: default"),
        (["battery", "--filter", "pdf"], "'doc_type=pdf'"),
        (["battery", "--graph", "qury"], "unknown graph 'qury'"),
        (["battery", "--graph", "ingest"], "kind 'ingest'"),
    ],
)
def test_errors_are_one_line(khub, filled, arguments, said):
    result = khub("query", *arguments)
    assert result.exit_code == 1
    assert said in result.stderr
    assert result.stderr.startswith("khub: ")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_errors_are_json_as_well_when_asked_for(khub_json):
    error = khub_json("query", "battery", "-c", "nowhere", code=1)["error"]
    assert error["type"] == "CollectionError"
    assert "nowhere" in error["message"]
    assert "khub ingest" in error["remedy"]


def test_what_was_degraded_is_told(khub, monkeypatch):
    answer = Answer("found", degraded=[Degraded("dense", "took more than\n5 s")])
    monkeypatch.setattr("khub.server.hub.ask", lambda *_: answer)
    result = khub("query", "battery")
    assert (result.stdout, result.stderr) == ("found\n", "khub: degraded: dense: took more than\\n5 s\n")


def test_on_a_terminal_the_answer_is_rendered_and_keeps_html(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    render_markdown("**[1] Title**\n\n> use <config> and\n>\n> <div>\n> block\n> </div>\x1b[2J")
    shown = capsys.readouterr().out
    assert "**" not in shown
    assert "[1] Title" in shown
    assert "use <config> and" in shown
    assert "<div>" in shown
    assert "\x1b[2J" not in shown


def test_an_unforeseen_error_is_one_line_and_a_traceback_in_the_log(khub, monkeypatch, tmp_path):
    def fail(*_):
        raise ZeroDivisionError("no\nluck")

    monkeypatch.setattr("khub.server.hub.ask", fail)
    result = khub("query", "battery")
    assert result.exit_code == 1
    log = tmp_path / "home" / "logs" / "app.jsonl"
    assert result.stderr.startswith("khub: ZeroDivisionError: no\\nluck: ")
    assert str(log) in result.stderr
    assert "Traceback" in log.read_text(encoding="utf-8")


def test_the_debug_level_shows_tracebacks(khub, monkeypatch):
    monkeypatch.setenv("KHUB_LOG_LEVEL", "debug")
    result = khub("query", "battery", "-c", "nowhere")
    assert "Traceback" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("khub: ")


def test_ctrl_c_is_told(khub, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("khub.server.hub.ask", stop)
    result = khub("query", "battery")
    assert (result.exit_code, result.stderr) == (130, "khub: stopped\n")
