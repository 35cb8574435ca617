"""Questions one after the other, in one process."""

import pytest
from typer.testing import CliRunner

from server.cli import app
from server.library.ingest import ingest

pytestmark = pytest.mark.integration


def chat(text):
    return CliRunner().invoke(app, ["chat"], input=text)


@pytest.fixture(autouse=True)
def hub(fixed_graphs, notes, converted_here):
    assert not ingest([str(notes)]).failed


def test_questions_of_a_pipe_are_answered_and_lean_on_each_other():
    result = chat("How do herons wade?\nAnd slowly?\n/open 1\n")
    assert result.exit_code == 0
    assert result.output.count("Herons wade") >= 2
    assert "How do herons wade? And slowly?" in result.output
    assert "birds.md" in result.output.splitlines()[-1]


def test_a_mistake_does_not_end_the_conversation():
    result = chat("?!\n/collection none\n/open 9\n/filter type:md\nHow do herons wade?\n/quit\nnever\n")
    assert result.exit_code == 0
    assert "Herons wade" in result.output
    assert "never" not in result.output
