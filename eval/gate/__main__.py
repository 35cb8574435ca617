"""Run the gate: `python -m khub.eval.gate [FOLDER] [--table FILE]`; the exit status is pytest's, 0 where all holds."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from khub.eval.gate.asserting import best_assert, plain_assert
from khub.eval.gate.thresholds import FOLDER

QUIET = ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # DeepEval is imported before pytest can look at it


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests of a gate.

    DeepEval's plugin of pytest is loaded by name, after `best_assert` has told DeepEval to be quiet.

    :returns: the exit status.
    """
    parser = argparse.ArgumentParser(
        prog="python -m khub.eval.gate", description="Measure the hub and hold it to its bar."
    )
    parser.add_argument("folder", nargs="?", default=str(FOLDER), help="folder with thresholds.yaml and baseline.json")
    parser.add_argument("--table", default="", metavar="FILE", help="write the table here, too (Markdown)")
    options = parser.parse_args(arguments)
    plugin = [] if best_assert()[0] is plain_assert else ["-p", "deepeval"]
    tests = str(Path(__file__).with_name("test_gate.py"))
    given = ["--gate", str(Path(options.folder).absolute()), "--gate-table", options.table]
    return int(pytest.main([*plugin, "-p", "no:cacheprovider", "--timeout=0", "--tb=line", *QUIET, *given, tests]))


if __name__ == "__main__":
    sys.exit(main())
