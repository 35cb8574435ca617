import json
import logging

import pytest
from haystack import logging as haystack_logging

from khub.server.traces import tracer
from khub.server.traces.app_log import configure_logging, log_path

pytestmark = pytest.mark.unit
logger = logging.getLogger("components.some_part")


@pytest.fixture(autouse=True)
def _restore_logging():
    root, haystack = logging.getLogger(), logging.getLogger("haystack")
    handlers, levels = root.handlers[:], (root.level, haystack.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    haystack.setLevel(levels[1])


def entries():
    return [json.loads(line) for line in log_path().read_text(encoding="utf-8").splitlines()]


def test_record_is_one_json_line():
    configure_logging()
    assert not log_path().parent.exists()  # made at the first record only
    logger.info("read %d files\nof 中文", 3)
    (entry,) = entries()
    assert entry.pop("time").endswith("+00:00")
    assert entry == {"level": "INFO", "logger": "components.some_part", "message": "read 3 files\nof 中文"}


def test_record_in_a_request_carries_its_trace_id():
    configure_logging()
    with tracer.trace_request("g", "query", {}) as request:
        logger.warning("slow")
    assert entries()[0]["trace_id"] == request.trace_id


def test_error_carries_its_traceback():
    configure_logging()
    try:
        raise ValueError("broken")
    except ValueError:
        logger.exception("failed")
    assert entries()[0]["traceback"].endswith("ValueError: broken")


def test_called_twice_it_writes_once_and_takes_up_the_level(monkeypatch):
    configure_logging()
    configure_logging()
    logger.info("once")
    monkeypatch.setenv("KHUB_LOG_LEVEL", "error")
    configure_logging()
    logger.warning("too low")
    assert [e["message"] for e in entries()] == ["once"]


def test_unknown_level_is_said_and_counts_as_info(monkeypatch):
    monkeypatch.setenv("KHUB_LOG_LEVEL", "loud")
    configure_logging()
    logger.info("seen")
    told, seen = (e["message"] for e in entries())
    assert (told.startswith("KHUB_LOG_LEVEL is 'LOUD': "), "INFO is used" in told, seen) == (True, True, "seen")


@pytest.mark.parametrize(("level", "seen"), [("INFO", ["high"]), ("DEBUG", ["low", "high"]), ("ERROR", [])])
def test_haystack_speaks_from_warning_up(monkeypatch, level, seen):
    monkeypatch.setenv("KHUB_LOG_LEVEL", level)
    configure_logging()
    of_haystack = haystack_logging.getLogger("haystack.core.test")
    of_haystack.info("low")
    of_haystack.warning("high")
    assert ([e["message"] for e in entries()] if log_path().exists() else []) == seen


def test_log_that_cannot_be_written_is_said_once(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").touch()
    monkeypatch.setenv("KHUB_HOME", str(tmp_path / "file"))
    configure_logging()
    logger.info("a")
    logger.info("b")
    assert capsys.readouterr().err.count("application log cannot be written") == 1


def test_secrets_do_not_stand_in_the_log(monkeypatch, capsys):
    monkeypatch.setenv("SOME_API_KEY", "a-value-of-its-own")
    configure_logging(stderr=True)
    try:
        raise ValueError("refused: a-value-of-its-own")
    except ValueError:
        logger.exception("asked with Authorization: Bearer abcdef0123456789 at postgresql://me:hidden@host/db")
    written = log_path().read_text(encoding="utf-8") + capsys.readouterr().err
    assert "refused: ***" in written
    assert not [secret for secret in ("a-value-of-its-own", "abcdef0123456789", "hidden") if secret in written]
