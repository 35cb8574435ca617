"""A job tells how far it is, in which stage and at which files, and stops where it was cancelled."""

from types import SimpleNamespace

import pytest

from khub.components.errors import KhubError
from khub.server.jobs.job_record import JobRecord
from khub.server.jobs.told_progress import MOST_FILES, TellsProgress
from khub.server.library.ingest_result import Progress
from tests.server.http.test_graph_routes import until

pytestmark = pytest.mark.unit


@pytest.fixture
def record():
    record = JobRecord("1" * 32)
    record.add(state="running", kind="ingest", collection="default", graph="ingest")
    return record


def told(record):
    return record.read()["progress"]


def test_files_and_stage_are_told_while_it_works(record):
    with TellsProgress(record) as telling:
        telling(Progress(0, 2, 0, 0, 0, ("a.md", "b.md")))
        assert (told(record)["at_work"], told(record)["stage"]) == (["a.md", "b.md"], None)
        telling._see_stage(SimpleNamespace(name="convert"), None)
        until(lambda: told(record)["stage"] == "convert")
        telling(Progress(1, 2, 1, 0, 0, ("b.md",), (("a.md", "written"),)))
        telling(Progress(2, 2, 1, 0, 1, (), (("b.md", "failed"),)))
    assert told(record)["ended"] == [["b.md", "failed"], ["a.md", "written"]]
    assert told(record)["stage"] is None


def test_of_thousands_of_files_it_names_the_last(record):
    with TellsProgress(record) as telling:
        files = tuple(f"{number}.md" for number in range(1000))
        telling(Progress(1000, 2000, 0, 0, 0, files, tuple((file, "written") for file in files)))
    assert len(told(record)["at_work"]) == len(told(record)["ended"]) == MOST_FILES
    assert told(record)["ended"][0] == ["999.md", "written"]


def test_its_traces_are_told_but_for_those_that_are_not_written(record):
    with TellsProgress(record) as telling:
        for trace_id, level in (("a" * 32, "standard"), ("b" * 32, "off")):
            telling._see_request(SimpleNamespace(trace_id=trace_id, level=level))
    assert record.read()["traces"] == ["a" * 32]


def test_a_cancelled_job_goes_no_further(record):
    with TellsProgress(record) as telling:
        record.update(state="cancelled")
        with pytest.raises(KhubError):
            telling(Progress(1, 2, 0, 0, 0))
    assert "progress" not in record.read()
