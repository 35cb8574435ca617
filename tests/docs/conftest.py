"""A reader who works the pages through, from the first command to the last, in a folder like the repository's."""

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import portalocker
import pytest
from typer.testing import CliRunner

from khub.server.cli import app
from tests.docs.markdown import DOCS, GUIDE, README, ROOT, Block, blocks
from tests.docs.shell import Shell
from tests.docs.transcript import commands, exchanges

NOTES = {
    "birds.md": "# Birds\n\nHerons wade slowly in shallow water.\n",
    "预算.md": "# 差旅预算\n\n酒店每晚上限为六百元。\n",
    "empty.txt": "",
    "broken.pdf": "%PDF-1.4 cut off",
    "song.mid": "no kind that is read",
}
DATA_SETS = {
    "my-folder/birds.md": "# Birds\n\nHerons hunt by standing still in shallow water.\n",
    "my-set/corpus.jsonl": '{"_id": "p", "title": "Birds", "text": "Herons wade slowly in shallow water."}',
    "my-set/queries.jsonl": '{"_id": "q", "text": "Where do herons wade?"}',
    "my-set/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq\tp\t1\n",
    "my-documents/documents/slides.md": "# Birds\n\nHerons wade slowly in shallow water.\n",
    "my-documents/questions.jsonl": '{"question": "Do owls sing?", "answer": "", "evidence": []}',
}
PLAYED = (  # in the order in which a reader would read them
    README,
    *(GUIDE / f"{page}.md" for page in ("documents", "asking", "filters", "assistant", "words")),
    DOCS / "graphs/reading.md",
    DOCS / "graphs/editing.md",
    DOCS / "measuring.md",
)
PLAYED_ELSEWHERE = {
    "contributing.md": "test_component.py",
    "http.md": "test_hayhooks.py",
    "examples.md": "test_examples.py",
    "own-parts.md": "tests/e2e/test_plugin_package.py",
    "own-parts.zh-CN.md": "tests/e2e/test_plugin_package.py",
}
AGENT = (
    '.venv/bin/python -m khub.eval.examples.agent "What does error code E-4012 mean?" --collection demo '
    "    --api-base http://127.0.0.1:11434/v1 --model qwen3 --trace"
)
WORDS = 'KHUB_LLM_API_KEY=none khub query "What does error code E-4012 mean?" --collection demo --graph more/ask'
PIP_FOR_RAGAS = ".venv-ragas/bin/pip install -c eval/constraints-ragas.txt -e '.[eval,ragas]'"
NOT_RUN = {
    "git clone <this repository> knowledge-hub && cd knowledge-hub": "the reader is there",
    "source .venv/bin/activate": "the environment of the tests is active",
    "OLLAMA_CONTEXT_LENGTH=16384 ollama serve": "a language model is not part of the tests",
    "KHUB_JUDGE_API_KEY=none khub eval run samples --judge more/evaluate_judged": "needs a language model, too",
    WORDS: "needs one as well; tests/pipelines has it with a server of its own",
    "python -m venv .venv-ragas": "is for the next one",
    PIP_FOR_RAGAS: "installs packages",
    AGENT: "needs that model; tests/eval/examples runs the same against a server of its own",
}
INSTEAD = {"make demo": "khub ingest eval/samples --collection demo"}  # the rest of it installs, or stands below it
EXIT_CODES = {"khub ingest notes": 1}  # all others: 0


class Reader:
    """Runs the blocks in their order, each once, whichever process of the tests comes to it first; what came is kept.

    :param home: the reader's home; the state of the shell, and what came, lie beside it.
    """

    def __init__(self, home: Path) -> None:
        self.shell, self.kept, self.came = Shell(home / "knowledge-hub", home), home.with_suffix(".json"), {}
        if self.kept.exists():
            kept = json.loads(self.kept.read_text(encoding="utf-8"))
            self.shell.folder, self.shell.environment = Path(kept["folder"]), kept["environment"]
            self.came = {block: [tuple(one) for one in came] for block, came in kept["came"].items()}

    def play(self, last: Block) -> list[tuple[str, str, int, str]]:
        """Run all up to a block; return its commands, and of each what is shown below it, its exit code and output."""
        here = run_here()
        for block in here[: here.index(last) + 1]:
            if str(block) not in self.came:
                self.came[str(block)] = play(block, self.shell)
                state = {"folder": str(self.shell.folder), "environment": self.shell.environment, "came": self.came}
                self.kept.write_text(json.dumps(state), encoding="utf-8")
        return self.came[str(last)]


def run_here() -> list[Block]:
    return [block for page in PLAYED for block in blocks(page, "sh", "console")]


def play(block: Block, shell: Shell) -> list[tuple[str, str | None, int, str]]:
    """Run the commands of a block; of a script nothing is shown: None."""
    parts = exchanges(block.text) if block.language == "console" else [(c, None) for c in commands(block.text)]
    played = [(INSTEAD.get(command, command), shown) for command, shown in parts if command not in NOT_RUN]
    return [(command, shown, *shell.run(command)) for command, shown in played]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reader's home, with the repository in it as far as the commands need it; one for all processes."""
    if sys.platform == "win32":
        pytest.skip("the commands are written for bash")
    base = tmp_path_factory.getbasetemp().resolve()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "you"
    with locked(home):
        if not home.exists():
            fill(home.with_suffix(".new"))
            home.with_suffix(".new").rename(home)
            trusted = {"folders": {str(home / "knowledge-hub" / "pipelines"): True}}  # as those of a clone are
            (home / ".config" / "khub").mkdir(parents=True)
            (home / ".config" / "khub" / "trust.json").write_text(json.dumps(trusted), encoding="utf-8")
    return home


def fill(home: Path) -> None:
    for folder in ("pipelines", "eval/samples"):
        shutil.copytree(ROOT / folder, home / "knowledge-hub" / folder)
    for name, text in {**{f"notes/{name}": text for name, text in NOTES.items()}, **DATA_SETS}.items():
        file = home / "knowledge-hub" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def locked(home: Path) -> portalocker.Lock:
    """Wait for the other processes in the system's queue: whoever asks now and then finds it taken again each time."""
    return portalocker.Lock(home.with_suffix(".lock"), flags=portalocker.LockFlags.EXCLUSIVE)


@pytest.fixture
def reader(home: Path) -> Iterator[Reader]:
    """The reader, who is nowhere else during the test."""
    with locked(home):
        yield Reader(home)


@pytest.fixture(scope="session")
def khub() -> Callable[..., tuple[int, str]]:
    """A function: run the khub command in a folder, in this process; return its exit code and all that it wrote."""

    def run(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
        graphs = "pipelines" if (folder / "pipelines").is_dir() else None
        own = {"KHUB_HOME": "data", "KHUB_PIPELINES": graphs, **environment}
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
