"""The package as it is built, and an environment in which nothing of the hub is but its wheel."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import portalocker
import pytest

from tests.wheel.building import Built, build, files_in, wheel_in

DOCUMENTS = {
    "birds.md": "# Birds\n\nHerons hunt by standing still in shallow water.\n",
    "年假制度.md": "# 年假制度\n\n员工每年有十五天年假，未休完的年假可以顺延到次年三月。\n",
}


@dataclass(frozen=True)
class Installed:
    """The wheel in an environment of its own, and a folder beside it to work in."""

    environment: Path
    folder: Path

    def variables(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("KHUB_", "PYTHON", "COV"))}
        configuration = str(self.folder / "configuration")
        return {**kept, "KHUB_HOME": str(self.folder / "data"), "XDG_CONFIG_HOME": configuration, "PYTHONUTF8": "1"}

    def start(self, program: str, *arguments: str, **options) -> subprocess.Popen:
        command = [self.environment / "bin" / program, *arguments]
        return subprocess.Popen(command, cwd=self.folder, env=self.variables(), encoding="utf-8", **options)

    def run(self, program: str, *arguments: str, code: int = 0) -> str:
        """Run a program of the environment; return what it writes to both of its outputs."""
        with self.start(program, *arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            output, _ = process.communicate(timeout=300)
        assert process.returncode == code, output
        return output


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the processes of a test run have in common."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "wheel"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def built(shared_folder: Path) -> Built:
    """The package, built once for all processes."""
    done = shared_folder / "built"
    with portalocker.Lock(shared_folder / "built.lock", flags=portalocker.LockFlags.EXCLUSIVE):
        if not done.exists():
            making = shared_folder / "making"
            build("--outdir", making)
            build("--wheel", "--outdir", making / "checkout")
            making.rename(done)
    return Built(wheel_in(done), files_in(wheel_in(done / "checkout")))


@pytest.fixture(scope="session")
def installed(built: Built, shared_folder: Path) -> Installed:
    """The wheel, installed once; what it needs is found where the tests find it, by a path without `.pth` files."""
    if sys.platform == "win32":
        pytest.skip("pywin32 is only found through a .pth file of its own")
    done = Installed(shared_folder / "environment", shared_folder / "elsewhere")
    with portalocker.Lock(shared_folder / "installed.lock", flags=portalocker.LockFlags.EXCLUSIVE):
        if not done.folder.exists():
            install(built.wheel, done.environment)
            making = shared_folder / "filling"
            making.mkdir()
            for name, text in DOCUMENTS.items():
                (making / name).write_text(text, encoding="utf-8")
            making.rename(done.folder)
    return done


def install(wheel: Path, environment: Path) -> None:
    shutil.rmtree(environment, ignore_errors=True)
    venv.create(environment, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", environment / "bin" / "python", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True, timeout=300)
    (packages,) = environment.glob("lib/python*/site-packages")
    others = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    (packages / "others.pth").write_text("".join(f"{path}\n" for path in others), encoding="utf-8")
