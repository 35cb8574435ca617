"""A reader who works the README through, from its first command to its last, in a folder like the repository's."""

import contextlib
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from server.cli import app
from tests.readme.markdown import ENGLISH, ROOT, Block, blocks, section_of
from tests.readme.shell import Shell
from tests.readme.transcript import commands, exchanges

NOTES = {
    "birds.md": "# Birds\n\nHerons wade slowly in shallow water.\n",
    "预算.md": "# 差旅预算\n\n酒店每晚上限为六百元。\n",
    "empty.txt": "",
    "broken.pdf": "%PDF-1.4 cut off",
    "song.mp3": "no kind that is read",
}
DATA_SETS = {
    "my-set/corpus.jsonl": '{"_id": "p", "title": "Birds", "text": "Herons wade slowly in shallow water."}',
    "my-set/queries.jsonl": '{"_id": "q", "text": "Where do herons wade?"}',
    "my-set/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\tp\t1\n",
    "my-documents/documents/slides.md": "# Birds\n\nHerons wade slowly in shallow water.\n",
    "my-documents/questions.jsonl": '{"question": "Do owls sing?", "answer": "", "evidence": []}',
}
PLAYED_ELSEWHERE = ("Add a component", "hayhooks")
AGENT = (
    '.venv/bin/python -m eval.examples.agent "What does error code E-4012 mean?" --collection demo '
    "    --api-base http://127.0.0.1:11434/v1 --model qwen3 --trace"
)
PIP_FOR_RAGAS = ".venv-ragas/bin/pip install -c eval/constraints-ragas.txt -e '.[eval,ragas]'"
NOT_RUN = {
    "make demo": "installs packages; tests/e2e/test_setup.py has its steps, and the same commands stand below it",
    "make test": "is what runs this test",
    "OLLAMA_CONTEXT_LENGTH=16384 ollama serve": "a language model is not part of the tests",
    "KHUB_JUDGE_API_KEY=none khub eval run --set samples --judge evaluate_judged": "needs a language model, too",
    "python -m venv .venv-ragas": "is for the next one",
    PIP_FOR_RAGAS: "installs packages",
    AGENT: "needs that model; tests/eval/examples runs the same against a server of its own",
}
EXIT_CODES = {"khub ingest notes": 1}  # all others: 0


class Reader:
    """Runs the blocks in their order, each once; what came is kept."""

    def __init__(self, shell: Shell) -> None:
        self.shell, self.came = shell, {}

    def play(self, last: Block) -> list[tuple[str, str, int, str]]:
        """Run all up to a block; return its commands, and of each what is shown below it, its exit code and output."""
        for block in run_here():
            if block.line <= last.line and block not in self.came:
                self.came[block] = play(block, self.shell)
        return self.came[last]

    def play_all(self) -> None:
        self.play(run_here()[-1])


def run_here() -> list[Block]:
    elsewhere = [section_of(ENGLISH, word) for word in PLAYED_ELSEWHERE]
    return [b for b in blocks(ENGLISH) if b.language in ("sh", "console") and b.section not in elsewhere]


def play(block: Block, shell: Shell) -> list[tuple[str, str | None, int, str]]:
    """Run the commands of a block; of a script nothing is shown: None."""
    parts = exchanges(block.text) if block.language == "console" else [(c, None) for c in commands(block.text)]
    return [(command, shown, *shell.run(command)) for command, shown in parts if command not in NOT_RUN]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reader's home, with the repository in it as far as the commands need it."""
    if sys.platform == "win32":
        pytest.skip("the README's commands are written for bash")
    home = tmp_path_factory.mktemp("you").resolve()
    for folder in ("pipelines", "eval/samples"):
        shutil.copytree(ROOT / folder, home / "knowledge-hub" / folder)
    notes = home / "knowledge-hub" / "notes"
    notes.mkdir()
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    for name, text in DATA_SETS.items():
        file = home / "knowledge-hub" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return home


@pytest.fixture(scope="session")
def reader(home: Path) -> Reader:
    return Reader(Shell(home / "knowledge-hub", home))


@pytest.fixture(scope="session")
def khub() -> Callable[..., tuple[int, str]]:
    """A function: run the khub command in a folder, in this process; return its exit code and all that it wrote."""

    def run(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
        own = {"KHUB_HOME": "data", "KHUB_PIPELINES": None, **environment}
        with contextlib.chdir(folder):
            done = CliRunner().invoke(app, list(arguments), env=own, prog_name="khub")
        return done.exit_code, done.output

    return run


@pytest.fixture
def graphs(tmp_path: Path) -> Path:
    """A folder with a copy of the shipped graphs in it."""
    shutil.copytree(ROOT / "pipelines", tmp_path / "pipelines")
    return tmp_path


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "command_block" in metafunc.fixturenames:
        metafunc.parametrize("command_block", run_here(), ids=str)
