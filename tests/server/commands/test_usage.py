"""Mistakes in a command line are told as all others: one line with the thing, its value and the remedy."""

import pytest
import typer

pytestmark = pytest.mark.unit

CLIENTS = "claude-desktop, claude-code, vscode, cursor, codex, continue"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["query", "x", "--top-k", "0"], "--top-k is 0: give 1 or more"),
        (["query", "x", "-k", "two"], "--top-k is 'two': give a whole number"),
        (["mcp", "--port", "99999"], "--port is 99999: give 65535 or less"),
        (["watch", ".", "--every", "slow"], "--every is 'slow': give a number"),
        (
            ["mcp", "install", "--client", "claude"],
            f"--client is 'claude': did you mean 'claude-code'? give one of {CLIENTS}",
        ),
        (
            ["mcp", "install", "--client", "zzz"],
            f"--client is 'zzz': give one of {CLIENTS}",
        ),
        (["mcp", "install"], "--client is missing: see: khub mcp install -h"),
        (
            ["mcp", "install", "--client", "codex", "--dir", "no"],
            "--dir: dir 'no' does not exist: check the spelling",
        ),
        (["query"], "TEXT: the question is missing: see khub query -h"),
        (
            ["query", "two", "words"],
            "'words' is one word too many: put a text with blanks into quotes; see: khub query -h",
        ),
        (["query", "x", "--topk", "3"], "there is no option '--topk': did you mean '--top-k'?"),
        (["query", "x", "--zzz"], "there is no option '--zzz': see: khub query -h"),
        (["query", "x", "--graph"], "--graph has no value: see: khub COMMAND -h"),
        (["query", "x", "--json=3"], "--json takes no value: leave it out: --json"),
        (["qeury"], "there is no command 'qeury': did you mean 'query'?"),
        (["zzz"], "there is no command 'zzz': see: khub -h"),
        (["graph", "shwo"], "there is no command 'shwo': did you mean 'show'?"),
        (["-x"], "there is no option '-x': see: khub -h"),
        (["query", "x", "-c", ""], "--collection: the name is empty"),
        (["query", "x", "--legs", "foo"], "--legs: 'foo' is no leg; use dense or sparse, or both"),
    ],
)
def test_one_line_names_the_thing_the_value_and_the_remedy(khub, arguments, line):
    result = khub(*arguments, prog_name="khub")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"khub: {line}\n")


def test_a_group_alone_shows_its_help(khub):
    result = khub("graph")
    assert result.exit_code == 2
    assert "Usage: " in result.output
    assert "check" in result.output


def test_an_error_that_nobody_knows_keeps_its_words():
    from khub.server.commands.usage import usage_error

    assert usage_error(typer.TyperException("it is odd.")) == ("it is odd", "see: khub COMMAND -h")
