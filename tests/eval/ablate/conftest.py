import gc

import pytest

from khub.eval.commands.ablate import ablate_graph
from tests.eval.beir_folder import write_beir
from tests.eval.measuring import asked, runner, unchanged_code

__all__ = ["asked", "unchanged_code"]

PASSAGES = [
    ("p1", "Herons", "A heron wades in shallow water and waits for fish."),
    ("p2", "Robots", "The battery of the robot lasts eleven hours."),
    ("p3", "Invoices", "An invoice is due within thirty days of delivery."),
    ("p4", "年假", "员工每年有十五天年假，未休完的可以顺延到次年三月。"),
]
QUERIES = [("q1", "Where does a heron wade?"), ("q2", "How long does the battery last?"), ("q3", "年假可以顺延吗？")]
JUDGED = [("q1", "p1", 1), ("q2", "p2", 1), ("q3", "p4", 1)]


@pytest.fixture(autouse=True)
def _frozen_again():
    """The command lets the garbage collector see all objects again: see `pytest_collection` of all tests."""
    yield
    gc.freeze()


@pytest.fixture
def beir(tmp_path):
    """Return a function that writes a data set of four passages and returns its folder."""
    return lambda queries=QUERIES, name="small": write_beir(tmp_path / name, PASSAGES, queries, JUDGED)


@pytest.fixture
def khub(tmp_path):
    """Return a function that runs `khub eval ablate` and gives its result, with the JSON report as `report`."""
    return runner(ablate_graph, "ablate.json", tmp_path / "out")
