"""Every command of the pages runs, and what they show below a command is what comes."""

import pytest

from tests.docs.conftest import EXIT_CODES, INSTEAD, NOT_RUN, PLAYED, PLAYED_ELSEWHERE, run_here
from tests.docs.markdown import PAGES, blocks, in_chinese
from tests.docs.transcript import agrees, commands, exchanges

KINDS = {  # the languages of blocks, and where they are tested
    "sh": "here, test_component.py or test_hayhooks.py",
    "console": "here or test_component.py",
    "diff": "test_diffs.py or test_component.py",
    "python": "test_component.py",
    "yaml": "test_graphs.py",
    "json": "test_reference.py",
    "mermaid": "drawn by hand",
    "text": "test_errors.py (messages), or what only Windows runs",
}


@pytest.mark.e2e
@pytest.mark.timeout(900)  # another process may be reading
def test_a_block(command_block, reader):
    for command, shown, code, came in reader.play(command_block):
        assert code == EXIT_CODES.get(command, 0), f"{command}\n{came}"
        assert shown is None or agrees(shown, came), f"$ {command}\n{came}"


@pytest.mark.unit
def test_no_block_is_left_out():
    assert {block.language for page in PAGES for block in blocks(page)} == set(KINDS)
    run = {*PLAYED, *map(in_chinese, PLAYED)}
    others = [page for page in PAGES if page not in run and blocks(page, "sh", "console")]
    assert {page.name for page in others} == set(PLAYED_ELSEWHERE)


@pytest.mark.unit
def test_what_is_named_stands_in_the_pages():
    played = [command for block in run_here() for command in commands(block.text.replace("$ ", ""))]
    assert {*NOT_RUN, *INSTEAD, *EXIT_CODES} <= set(played)


@pytest.mark.unit
@pytest.mark.parametrize(
    ("shown", "came", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n[…]\n", "a\nb\nc\n", True),
        ("a\n[…]\n", "a\n", True),
        ("a […] c\n", "a b c\n", True),
        ("a\n", "a\nb\n", False),
        ("a […] d\n", "a b c\n", False),
        ("in 1.5 s, 2.7 files/s\n", "in 12.0 s, 1,203.1 files/s\n", True),
        ("3 files in 1.5 s\n", "4 files in 1.5 s\n", False),
    ],
)
def test_what_counts_as_the_same(shown, came, same):
    assert agrees(shown, came) is same


@pytest.mark.unit
def test_a_transcript_is_cut_at_its_commands():
    assert exchanges("$ one\nout\n$ two\n") == [("one", "out\n"), ("two", "")]
