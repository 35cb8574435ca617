"""Lay out the packages of a checkout as they are installed, for type checkers: `python -m tests.typed_tree`."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
TREE = ROOT / "build" / "typed" / "khub"


def make_tree() -> None:
    """Make `build/typed/khub` of links to the packages; what stands there is replaced."""
    shutil.rmtree(TREE, ignore_errors=True)
    TREE.mkdir(parents=True)
    for package in ("components", "server", "dashboard", "eval"):
        (TREE / package).symlink_to(ROOT / package, target_is_directory=True)
    for file in (ROOT / "khub").glob("*.py*"):
        (TREE / file.name).symlink_to(file)


if __name__ == "__main__":
    make_tree()
