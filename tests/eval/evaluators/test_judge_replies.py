"""What judges replied, on disk."""

import threading

import pytest

from khub.eval.evaluators.judge_replies import JudgeReplies, replies_file
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def test_replies_outlive_their_store():
    JudgeReplies(replies_file()).put("k1", "wise-1", "{}")
    JudgeReplies(replies_file()).put("k2", "wise-1", "{2}")
    assert JudgeReplies(replies_file()).get("k1") == "{}"
    assert JudgeReplies(replies_file()).get("k3") is None


def test_only_what_is_named_is_forgotten():
    replies = JudgeReplies(replies_file())
    for key in ("k1", "k2", "k3"):
        replies.put(key, "wise-1", key)
    replies.forget(["k1", "k3"])
    assert [replies.get(key) for key in ("k1", "k2", "k3")] == [None, "k2", None]


def test_threads_may_write_together():
    replies = JudgeReplies(replies_file())
    threads = [threading.Thread(target=replies.put, args=(str(n), "wise-1", str(n))) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [replies.get(str(n)) for n in range(16)] == [str(n) for n in range(16)]


def test_a_damaged_file_is_named_with_the_remedy():
    replies_file().parent.mkdir(parents=True)
    replies_file().write_bytes(b"not a database" * 100)
    with raises_code("store_failed", "replies.sqlite"):
        JudgeReplies(replies_file()).get("k1")
