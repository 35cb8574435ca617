"""Programs out of npm, with a Node new enough for them, kept in a cache folder outside of the repository."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NODE = "node@24"
INSTALL_S = 600


class NoNpmError(Exception):
    """npm is not there, or its registry is out of reach: what needs it is skipped, and says why."""


def cache_folder() -> Path:
    """Return where the programs are kept: `$KHUB_CONFORMANCE_CACHE`, else the user's own cache folder."""
    named = os.environ.get("KHUB_CONFORMANCE_CACHE")
    if named:
        return Path(named).expanduser().absolute()
    folders = {
        "darwin": Path.home() / "Library" / "Caches",
        "win32": Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"),
    }
    other = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folders.get(sys.platform, other) / "khub-conformance"


def node_command(package: str, version: str, script: str) -> list[str]:
    """Return the start of a command line that runs a script of a package; installs it the first time.

    :param package: its name in npm.
    :param version: the exact version.
    :param script: path of the script in the package.
    :raises NoNpmError: if npm is not there, or cannot install it.
    """
    folder = cache_folder() / f"{package.rpartition('/')[2]}-{version}"
    modules = folder / "node_modules"
    path = modules / package / script
    node = modules / "node" / "bin" / ("node.exe" if os.name == "nt" else "node")
    if not (path.exists() and node.exists()):
        _install(folder, f"{package}@{version}")
    return [str(node), str(path)]


def _install(folder: Path, package: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NoNpmError("there is no npm: install Node.js")
    folder.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-fund", "--no-audit", "--prefix", str(folder), NODE, package]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=INSTALL_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise NoNpmError(f"npm could not install {package} in {INSTALL_S} s") from None
    if done.returncode:
        raise NoNpmError(f"npm could not install {package}: {' '.join(done.stderr.split())[-300:]}")
