"""Set the repository up: `python -m server.setup install|demo|test|lint`, from the repository's root.

It runs before anything is installed: nothing but the standard library here, and no syntax that an old Python, which is
to be told its age in one line, could not read.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = (3, 11)
LEAST_COVERAGE = 80
DEMO_COLLECTION = "demo"
DEMO_QUESTIONS = (
    "What does error code E-4012 mean?",
    "P6 员工去上海出差，住宿标准是每晚多少？",
    "Until when does Beacon 4.2 LTS receive security fixes?",
    "What is BM25?",
)
LINTERS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
)


class SetupError(Exception):
    """What is wrong with this machine, and the remedy, in one line."""


class Environment:
    """The repository's virtual environment.

    :param root: folder of `pyproject.toml` and `constraints.txt`; the environment is its `.venv`.
    """

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.stamp = self.folder / "khub-installed.json"

    def install(self, extras: Iterable[str] = ()) -> None:
        """Create the environment and install the core, editable, with extras; at once if there is nothing to do.

        Extras of earlier calls stay, so that `demo` does not undo what `test` has installed.

        :raises SetupError: if this Python cannot make an environment, or pip fails.
        """
        installed = self.installed_extras()
        wanted = set(extras)
        if self.python.exists() and installed is not None and wanted <= installed:
            return
        say(
            "Installing knowledge-hub and the libraries that it needs into .venv. This takes about a minute, more where"
        )
        say("the network is slow, and shows nothing until it is done ...")
        started = time.monotonic()
        self._create()
        wanted.update(self._stamped().get("extras", ()))
        self.stamp.unlink(missing_ok=True)
        if run(self.pip_command(wanted), self.root):
            raise SetupError("pip could not install the packages (see above): mend the cause and run this again")
        stamp = {"inputs": self.fingerprint(), "extras": sorted(wanted)}
        self.stamp.write_text(json.dumps(stamp), encoding="utf-8")
        say(f"Installed in {time.monotonic() - started:.0f} s.")

    def installed_extras(self) -> set[str] | None:
        """Return the extras that are installed; None if the core is not, or what is to be installed has changed."""
        stamp = self._stamped()
        return set(stamp["extras"]) if stamp and stamp["inputs"] == self.fingerprint() else None

    def fingerprint(self) -> str:
        """Return a hash of what decides about the packages; of the folder too, as an editable package points to it."""
        digest = hashlib.sha256(str(self.root).encode("utf-8"))
        for name in ("pyproject.toml", "constraints.txt"):
            digest.update(b"\0" + (self.root / name).read_bytes())
        return digest.hexdigest()

    def pip_command(self, extras: Iterable[str]) -> list[str]:
        """Return the command that installs the core with these extras."""
        names = ",".join(sorted(extras))
        target = f".[{names}]" if names else "."
        pip = [str(self.python), "-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check"]
        return [*pip, "--editable", target, "--constraint", "constraints.txt"]

    def tool_command(self, name: str, *arguments: str) -> list[str]:
        """Return the command that runs an installed package's module."""
        return [str(self.python), "-m", name, *arguments]

    def _stamped(self) -> dict:
        try:
            return dict(json.loads(self.stamp.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return {}

    def _create(self) -> None:
        """Make the environment, or mend one whose making was stopped."""
        if self.python.exists() and run(self.tool_command("pip", "--version"), self.root, quiet=True) == 0:
            return
        if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
            raise SetupError(missing_venv())
        fresh = [] if self.python.exists() else ["--clear"]
        if run([sys.executable, "-m", "venv", *fresh, str(self.folder)], self.root):
            raise SetupError(f"cannot create {self.folder}: remove it, check the disk and its permissions, try again")


def missing_venv() -> str:
    """Return what to tell a user whose Python came without `venv`, as Debian's does."""
    version = ".".join(str(part) for part in sys.version_info[:2])
    remedy = f"sudo apt-get install python{version}-venv" if Path("/etc/debian_version").exists() else "install them"
    return f"Python {version} here has no venv and ensurepip modules: {remedy}"


def check_python(version: Sequence[int] = sys.version_info[:2]) -> None:
    """Refuse a Python that the hub does not run on.

    :raises SetupError: naming its version and the oldest that will do.
    """
    if tuple(version[:2]) < OLDEST_PYTHON:
        has, needs = (".".join(str(part) for part in numbers[:2]) for numbers in (version, OLDEST_PYTHON))
        raise SetupError(f"Python {has} is too old: use {needs} or newer, for example: make demo PYTHON=python{needs}")


def say(text: str) -> None:
    """Tell the user what happens, before the output of what is run."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(command: Sequence[str], folder: Path, quiet: bool = False) -> int:
    """Run a command in a folder.

    :returns: its exit status.
    """
    output = subprocess.DEVNULL if quiet else None
    environment = {**os.environ, "PYTHONUTF8": "1"}  # answers in Chinese, on a Windows console too
    return subprocess.run(command, cwd=folder, env=environment, stdout=output, stderr=output, check=False).returncode


def khub(environment: Environment, *arguments: str) -> int:
    """Show and run a khub command; `-m` as launchers in bin do not survive moving the repository."""
    say("\n$ khub " + " ".join(shlex.quote(word) if re.search(r"\s", word) else word for word in arguments))
    return run(environment.tool_command("server.cli", *arguments), environment.root)


def demo(environment: Environment) -> int:
    """Ingest the samples and ask four questions about them."""
    environment.install()
    collection = ("--collection", DEMO_COLLECTION)
    status = khub(environment, "ingest", "eval/samples", *collection)
    for question in DEMO_QUESTIONS:
        status = status or khub(environment, "query", question, *collection, "--top-k", "2")
    if not status:
        command = environment.python.with_name("khub").relative_to(environment.root)
        say(f"\nNow your own files: {command} ingest YOUR-FOLDER, then {command} query 'YOUR QUESTION' (see README.md)")
    return status


def lint(environment: Environment) -> int:
    """Run every linter, to the last; return the first failure's status."""
    environment.install(["test"])
    statuses = []
    for name, *arguments in LINTERS:
        say(" ".join(("$", name, *arguments)))
        statuses.append(run(environment.tool_command(name, *arguments), environment.root))
    return next(filter(None, statuses), 0)


def test(environment: Environment, arguments: Sequence[str]) -> int:
    """Run the linters and the tests with coverage; with pytest arguments, pytest alone as they say."""
    environment.install(["test"])
    if arguments:
        return run(environment.tool_command("pytest", *arguments), environment.root)
    return lint(environment) or run(environment.tool_command("pytest", *coverage_arguments()), environment.root)


def coverage_arguments() -> list[str]:
    """Return the pytest arguments of the whole suite, which soak tests are no part of: a process for each processor."""
    parallel = ["-n", "auto", "--maxprocesses=4", "--dist=worksteal"]
    measured = [f"--cov={package}" for package in ("components", "server")]
    return ["-m", "not soak", *parallel, *measured, "--cov-report=term", f"--cov-fail-under={LEAST_COVERAGE}"]


def parse(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m server.setup", description="Set the repository up, and try it.")
    commands = parser.add_subparsers(dest="command", required=True)
    install = commands.add_parser("install", help="create .venv and install the hub into it")
    install.add_argument("--extras", default="", help="optional parts, as pyproject.toml names them: a,b")
    commands.add_parser("demo", help="install, ingest the samples, ask four questions")
    commands.add_parser("lint", help="ruff and mypy")
    commands.add_parser("test", help="lint and test with coverage; or: test PYTEST-ARGUMENTS")
    own = 1 if arguments[:1] == ["test"] else len(arguments)
    options = parser.parse_args(arguments[:own])
    options.rest = arguments[own:]
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    :returns: the exit status: that of the program that failed, 2 for a wrong command line, 1 for a machine that will
        not do, 0.
    """
    options = parse(sys.argv[1:] if arguments is None else list(arguments))
    try:
        check_python()
        environment = Environment()
        if options.command == "install":
            environment.install(filter(None, options.extras.split(",")))
            return 0
        if options.command == "test":
            return test(environment, options.rest)
        return {"demo": demo, "lint": lint}[options.command](environment)
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 1


if __name__ == "__main__":
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.exit(main())
