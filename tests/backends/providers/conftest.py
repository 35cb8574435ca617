"""A small hub, its graphs with a diff of the cookbook applied, and the provider that the diff names, played here."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docs.providers import Entry, entries
from khub.components.model_servers import model_server, served_run
from khub.server.cli import app
from khub.server.library.ingest import ingest
from tests.backends.providers.model import FACT
from tests.backends.providers.played import PLAYED, provider
from tests.backends.providers.provider_server import KEY, Provider, serving
from tests.docs.unified_diff import HEADER, changed_file, edit
from tests.server.hub_files import PIPELINES, copy_pipelines

DIFFS = {(entry.page, entry.name): entry for entry in entries()}
LOCAL = "http://127.0.0.1:11434"
PACKAGE = re.compile(r"haystack_integrations\.components\.\w+\.\w+")
HOST = re.compile(r"https?://[^/\s\"]+")
FILES = {
    "ember.md": f"# Ember manual\n\n## Battery\n\n{FACT} on one charge.\n\n"
    "## Dock\n\nThe dock of the Ember robot charges its battery in 90 minutes.\n",
    "heron.md": "# Heron manual\n\nThe Heron drone has a battery, too; it flies for a while.\n",
}


def keys() -> set[str]:
    """Return the variables that the diffs name."""
    return {entry.trust.split()[3] for entry in DIFFS.values() if entry.trust} | {"KHUB_JUDGE_API_KEY"}


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a hub with one collection."""
    home = tmp_path_factory.mktemp("filled")
    write_files(home / "files")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KHUB_HOME", str(home / "hub"))
        patch.setenv("KHUB_PIPELINES", str(PIPELINES))
        assert len(ingest([str(home / "files")], "docs", "ingest_fast").written) == len(FILES)
    return home / "hub"


def write_files(folder: Path) -> Path:
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@dataclass
class Hub:
    """A hub whose graphs ask a provider.

    :param home: its home.
    :param folder: in which `pipelines` lie.
    """

    home: Path
    folder: Path
    patch: pytest.MonkeyPatch
    entry: Entry
    provider: Provider = field(default_factory=Provider)

    @property
    def variable(self) -> str:
        """The variable of the provider's key, "" where it asks for none."""
        return self.entry.trust.split()[3] if self.entry.trust else ""

    @property
    def diff(self) -> str:
        """The diff of the page, with the address of this machine in the place of the provider's host."""
        lines = self.entry.diff.splitlines(keepends=True)
        return "".join(HOST.sub(self.provider.address, line) if line.startswith("+ ") else line for line in lines)

    def swap(self, *graphs: str) -> None:
        """Change the graph of the diff, or the same lines in others."""
        if not graphs:
            edit(self.diff, self.folder)
        for graph in graphs:
            file = self.folder / "pipelines" / f"{graph}.yaml"
            file.write_text(fitted(self.diff, file.read_text(encoding="utf-8")), encoding="utf-8")
        for graph in graphs or (changed_file(self.entry.diff).removeprefix("pipelines/").removesuffix(".yaml"),):
            if "ollama" in self.entry.name.lower():  # one of its diffs leaves the address as it is
                file = self.folder / "pipelines" / f"{graph}.yaml"
                local = file.read_text(encoding="utf-8").replace(LOCAL, self.provider.address)
                file.write_text(local, encoding="utf-8")

    def khub(self, *arguments: str) -> tuple[int, str]:
        """Run a command, in this process; return its exit code and all that it wrote."""
        done = CliRunner().invoke(app, list(arguments), prog_name="khub")
        return done.exit_code, done.output

    def refuse(self, text: str, other: str) -> None:
        """Change the graph once more."""
        file = self.folder / changed_file(self.entry.diff)
        before = file.read_text(encoding="utf-8")
        assert text in before
        file.write_text(before.replace(text, other), encoding="utf-8")

    def kept(self) -> bytes:
        """Return all that stands in the home."""
        return b"".join(file.read_bytes() for file in self.home.rglob("*") if file.is_file())


def fitted(diff: str, text: str) -> str:
    """Apply a diff to the one place of a graph that has its lines, however far in they stand there."""
    lines = [(line[:1], line[1:]) for line in diff[HEADER.match(diff).end() :].splitlines()]  # type: ignore[union-attr]
    if "KHUB_JUDGE_API_KEY" in text:
        lines = [(sign, line.replace("KHUB_LLM_API_KEY", "KHUB_JUDGE_API_KEY")) for sign, line in lines]
    old, new = ([line for sign, line in lines if sign in signs] for signs in (" -", " +"))
    there = text.splitlines()
    wanted = [line.strip() for line in old]
    places = [at for at in range(len(there)) if [t.strip() for t in there[at : at + len(old)]] == wanted]
    assert len(places) == 1, f"fits in {len(places)} places"
    at = places[0]
    further = " " * (indent(there[at]) - indent(old[0]))
    there[at : at + len(old)] = [further + line for line in new]
    return "\n".join(there) + "\n"


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


@pytest.fixture
def hub(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, str], Hub]]:
    """A function: a hub, its provider, and its key in the environment and allowed to go there."""
    with ExitStack() as stack:
        # a provider without an address in its graph is one server for the process: no test inherits another's failures
        monkeypatch.setattr(model_server, "_servers", {})
        # what is tested is what comes of it in the end
        monkeypatch.setattr(served_run, "BACKOFF_S", 0.02)
        monkeypatch.setattr(model_server, "SHORTEST_PAUSE_S", 0.02)

        def make(page: str, name: str) -> Hub:
            home = Path(shutil.copytree(filled, tmp_path / "home"))
            pipelines = copy_pipelines(tmp_path)
            monkeypatch.setenv("KHUB_HOME", str(home))
            monkeypatch.setenv("KHUB_PIPELINES", str(pipelines))
            monkeypatch.setenv(
                "KHUB_SECRETS", "KHUB_LLM_API_KEY@127.0.0.1,KHUB_JUDGE_API_KEY@127.0.0.1"
            )  # as they ship
            monkeypatch.setenv("NO_PROXY", "127.0.0.1")
            monkeypatch.setenv("HF_HUB_OFFLINE", "1")
            for variable in (*keys(), "OPENAI_API_KEY", "OLLAMA_API_KEY", "CO_API_URL", "CO_API_KEY"):
                monkeypatch.delenv(variable, raising=False)
            made = Hub(home, tmp_path, monkeypatch, DIFFS[page, name])
            if package := PACKAGE.search(made.entry.diff):
                pytest.importorskip(package[0], reason=f"pip install -c constraints.txt -e '.[{made.entry.extra}]'")
            if not isinstance(PLAYED[page][name], str):
                made.provider = stack.enter_context(serving(provider(page, name)))
                monkeypatch.setenv("ANTHROPIC_BASE_URL", made.provider.address)
            if made.entry.trust:
                host = made.entry.trust.split()[4]
                monkeypatch.setenv(made.variable, KEY)
                assert (
                    made.khub("trust", "--secret", made.variable, host if "Generator" in host else "127.0.0.1")[0] == 0
                )
            return made

        yield make
