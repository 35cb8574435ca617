"""The Python programs of the guide run as they stand there."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.clients.environments import NotInstalledError, python_of
from tests.docs.markdown import GUIDE, ROOT, blocks

pytestmark = pytest.mark.e2e

PAGE = GUIDE / "python.md"
FILES = ("ember-300-operator-manual-en.pdf", "deployment-handbook-zh.md")


def of(*words: str) -> list[str]:
    return [block.text for block in blocks(PAGE, "python") if any(word in block.text for word in words)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with handbooks; the programs run in it, one after the other."""
    here = tmp_path_factory.mktemp("python")
    (here / "handbooks").mkdir()
    for name in FILES:
        (here / "handbooks" / name).write_bytes((ROOT / "eval" / "samples" / name).read_bytes())
    return here


def run(program: str, folder: Path, python: str = sys.executable) -> str:
    more = sysconfig.get_paths()["purelib"] if python != sys.executable else ""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KHUB_")}
    text = f"import sys; sys.path.append({more!r})\n{program}" if more else program
    done = subprocess.run(
        [python, "-c", text],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_programs_of_the_hub_alone_run_one_after_the_other(folder):
    first, synced, without_blocking, wrong, pipeline = of(
        "hub.ingest(", "hub.sync(", "ingest_async", "except KhubError", "SuperComponent"
    )
    assert "Ember 300 Operator Manual 4 " in run(first, folder)
    assert "0 unchanged, 0 gone" in run(synced, folder)
    assert "Beacon" in run(without_blocking, folder)
    assert run(wrong, folder).startswith("collection_unknown ")
    assert "E-4012" in run(f"import os; os.environ['KHUB_HOME'] = 'my-hub'\n{pipeline}", folder)


@pytest.mark.parametrize("family", ["langchain", "llama_index"])
def test_retrievers_of_others_give_passages(folder, family, pytestconfig):
    try:
        python = python_of(family, pytestconfig.cache.mkdir("clients"))
    except NotInstalledError as error:
        pytest.skip(str(error))
    run(of("hub.ingest(")[0], folder)
    (program,) = of(f"{family}{'_core' if family == 'langchain' else ''}")
    assert "Ember" in run(program, folder, str(python))
