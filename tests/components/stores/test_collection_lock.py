"""One writer at a time, across processes; the system frees the lock of a dead one."""

import subprocess
import sys
import threading

import pytest

from khub.components.errors import StoreError
from khub.components.stores.collection_lock import CollectionLocks
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration

HOLDER = (
    "import sys; from pathlib import Path; from khub.components.stores.collection_lock import CollectionLocks\n"
    "with getattr(CollectionLocks(Path(sys.argv[1]), 'docs'), sys.argv[2])():\n"
    "    sys.stdout.write('held\\n'); sys.stdout.flush(); sys.stdin.readline()\n"
)


@pytest.fixture
def hold(tmp_path):
    """Return a function by which another process takes a lock."""
    holders = []

    def hold(name):
        command = [sys.executable, "-c", HOLDER, str(tmp_path), name]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        holders.append(process)
        assert process.stdout.readline() == "held\n"
        return process

    yield hold
    for process in holders:
        process.kill()
        process.communicate()


def taken(lock):
    """Take a lock in a thread; the event is set when it is held."""
    held = threading.Event()

    def take():
        with lock():
            held.set()

    threading.Thread(target=take, daemon=True).start()
    return held


def test_writer_in_another_process_is_refused_at_once_or_waited_for(hold, tmp_path):
    locks = CollectionLocks(tmp_path, "docs")
    holder = hold("writer")
    with raises_code("lock_held", "docs.writer"), locks.try_writer():
        pass
    waiting = taken(locks.writer)
    assert not waiting.wait(0.3)
    holder.communicate("go\n")
    assert waiting.wait(10)


def test_lock_of_a_killed_process_is_free(hold, tmp_path):
    holder = hold("writer")
    holder.kill()
    holder.wait()
    with CollectionLocks(tmp_path, "docs").try_writer():
        pass


def test_readers_share_and_keep_a_writer_out(hold, tmp_path):
    locks = CollectionLocks(tmp_path, "docs")
    holder = hold("index_shared")
    assert taken(locks.index_shared).wait(10)
    writing = taken(locks.index_exclusive)
    assert not writing.wait(0.3)
    holder.communicate("go\n")
    assert writing.wait(10)


def test_writing_keeps_readers_out(hold, tmp_path):
    holder = hold("index_exclusive")
    reading = taken(CollectionLocks(tmp_path, "docs").index_shared)
    assert not reading.wait(0.3)
    holder.communicate("go\n")
    assert reading.wait(10)


def test_threads_exclude_each_other_and_collections_do_not(tmp_path):
    locks = CollectionLocks(tmp_path, "docs")
    with locks.try_writer():
        with pytest.raises(StoreError), CollectionLocks(tmp_path, "docs").try_writer():
            pass
        with CollectionLocks(tmp_path, "other").try_writer(), locks.index_exclusive():
            pass
    with locks.try_writer():
        pass


def test_error_within_frees_the_lock(tmp_path):
    locks = CollectionLocks(tmp_path, "docs")
    with pytest.raises(KeyError), locks.writer():
        raise KeyError
    with locks.try_writer():
        pass
