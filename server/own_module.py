"""Run a module of the hub in another process, wherever the hub is installed."""

import sys
from pathlib import Path

import khub

ROOT = str(Path(khub.__file__).parents[1])
START = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module(sys.argv[1], run_name='__main__')"


def command_of(module: str, *arguments: str) -> list[str]:
    """Return the command line that runs a module as a program.

    :param module: its dotted name; it finds the arguments from `sys.argv[2]` on.
    """
    return [sys.executable, "-P", "-c", START, ROOT, module, *arguments]
