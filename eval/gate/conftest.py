"""One measurement for all tests of the gate, and its table at the end."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from khub.eval.gate.asserting import Assert, best_assert
from khub.eval.gate.baseline import Baseline, read_baseline
from khub.eval.gate.measure import Measured, chosen_judge, measure
from khub.eval.gate.report import gate_report
from khub.eval.gate.thresholds import FOLDER, Bound, Thresholds, read_thresholds
from khub.eval.gate.verdicts import Verdict, verdict, verdicts
from khub.eval.run.files import write_file

REPORT = pytest.StashKey[str]()


@dataclass(frozen=True)
class Gate:
    """A gate and what was measured for it."""

    thresholds: Thresholds
    baseline: Baseline
    measured: Measured

    def judging(self, bound: Bound) -> Callable[[], Verdict]:
        """Return what judges a metric."""
        return lambda: verdict(self.measured, self.thresholds, self.baseline, bound)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take the gate's folder, and where the table goes."""
    parser.addoption("--gate", metavar="DIR", default=str(FOLDER), help="folder with thresholds.yaml, baseline.json")
    parser.addoption("--gate-table", metavar="FILE", default="", help="write the gate's table here, too")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make one test per metric."""
    for name, kind in (("bound", "bounds"), ("judged_bound", "judged")):
        if name in metafunc.fixturenames:
            bounds = getattr(read_thresholds(_folder(metafunc.config)), kind)
            metafunc.parametrize(name, bounds, ids=[bound.name for bound in bounds])


@pytest.fixture(scope="session")
def gate(pytestconfig: pytest.Config, asserting: tuple[Assert, str]) -> Gate:
    """Measure, once."""
    from khub.server.commands.progress import progress
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    folder = _folder(pytestconfig)
    thresholds, baseline = read_thresholds(folder), read_baseline(folder)
    measured = measure(thresholds, chosen_judge(), progress)
    found = verdicts(measured, thresholds, baseline)
    text = gate_report(measured, thresholds, baseline, found, asserting[1])
    pytestconfig.stash[REPORT] = text
    if file := pytestconfig.getoption("gate_table"):
        write_file(Path(file).absolute(), text)
    return Gate(thresholds, baseline, measured)


@pytest.fixture(scope="session")
def asserting() -> tuple[Assert, str]:
    """Return what asserts a verdict, and its name."""
    return best_assert()


@pytest.fixture
def assert_holds(asserting: tuple[Assert, str]) -> Assert:
    """Return what asserts a verdict."""
    return asserting[0]


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Show the table."""
    terminalreporter.write_line("")
    for line in config.stash.get(REPORT, "").partition("<details>")[0].splitlines():
        terminalreporter.write_line(line)


def _folder(config: pytest.Config) -> Path:
    return Path(config.getoption("gate"))
