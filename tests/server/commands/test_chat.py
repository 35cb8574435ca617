"""Questions one after the other, in one process."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from khub.server.cli import app
from khub.server.library.ingest import ingest

SAMPLES = Path(__file__).parents[3] / "eval" / "samples"
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


def test_the_page_of_a_citation_is_drawn_while_the_conversation_lasts(converted_here):
    (pdf,) = sorted(SAMPLES.rglob("*.pdf"))[:1]
    assert not ingest([str(pdf)], "papers").failed
    code = "import sys; from khub.server.cli import main; sys.argv = ['khub', 'chat', '-c', 'papers']; main()"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write(f"{pdf.stem}\n/open 1\n")
        process.stdin.flush()
        line = next(line for line in process.stdout if line.startswith("the page: "))
        page = Path(line.removeprefix("the page: ").strip())
        assert page.read_bytes().startswith(b"\x89PNG")
        process.stdin.close()
        process.wait(30)
    assert not page.parent.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_a_query_without_a_question_is_a_conversation_on_a_terminal_alone():
    assert CliRunner().invoke(app, ["query"], input="How do herons wade?\n").exit_code == 2  # a pipe
    terminal = [sys.executable, "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"]
    khub = [*terminal, sys.executable, "-m", "khub.server.cli", "query"]
    asked = "How do herons wade?\n/quit\n"
    done = subprocess.run(khub, input=asked, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "Herons wade" in done.stdout


def test_a_mistake_does_not_end_the_conversation():
    result = chat("?!\n/collection none\n/open 9\n/filter type:md\nHow do herons wade?\n/quit\nnever\n")
    assert result.exit_code == 0
    assert "Herons wade" in result.output
    assert "never" not in result.output
