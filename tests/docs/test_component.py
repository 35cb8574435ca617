"""The component that contributing.md has one write: its files, its test, its graph, as they stand there."""

import pytest

from tests.docs.conftest import play, run_here
from tests.docs.markdown import DOCS, blocks
from tests.docs.shell import Shell
from tests.docs.transcript import agrees
from tests.docs.unified_diff import edit

pytestmark = pytest.mark.e2e


def test_from_an_empty_folder_to_a_graph_that_uses_it(home, reader):
    reader.play(run_here()[0])  # the samples are in
    shell = Shell(home / "knowledge-hub", home)
    for block in blocks(DOCS / "contributing.md", "sh", "console", "python", "diff"):
        if block.language == "python":
            name = block.text.splitlines()[0].removeprefix("# ")
            (shell.folder / name).write_text(block.text, encoding="utf-8")
        elif block.language == "diff":
            edit(block.text, shell.folder)
        else:
            for command, shown, code, came in play(block, shell):
                assert code == 0, f"{command}\n{came}"
                assert shown is None or agrees(shown, came), f"$ {command}\n{came}"
    assert most_of_one(shell) == 2
    assert most_of_one(shell, "--graph", str(home / "knowledge-hub/pipelines/query.yaml")) > 2


def most_of_one(shell, *more):
    """How many passages of one document an answer cites."""
    _, came = shell.run(" ".join(("khub query 'What is BM25?' --collection demo", *more)))
    cited = [line.split("`")[1] for line in came.splitlines() if line.startswith("**[")]
    return max(map(cited.count, cited))
