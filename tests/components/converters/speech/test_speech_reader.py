"""How a recording goes through its windows; another process stands in for Whisper's."""

import hashlib
import json
import threading
import time

import pytest

from khub.components.cancellation import Run, RunCancelledError, cancellable
from khub.components.converters.speech import speech_reader as module
from khub.components.converters.speech.speech_reader import SpeechReader
from khub.components.errors import MissingLibraryError, ParameterError, SourceError
from tests.conditions import until

pytestmark = pytest.mark.unit


class Worker:
    """Has a sentence for every window of 100 s; three of them."""

    def __init__(self, breaks_at=None):
        self.asked, self.limits, self.closed = [], [], threading.Event()
        self.breaks_at = breaks_at
        self.hangs = False

    def ask(self, request, timeout_s):
        self.asked.append(request["start"])
        self.limits.append(timeout_s)
        if self.hangs:
            self.closed.wait(20)
        if request["start"] == self.breaks_at or self.closed.is_set():
            raise SourceError("stopped", "again", code="job_cancelled")
        start = request["start"]
        following = start + 100 if start < 200 else None
        about = {"title": "The talk", "author": "Ann Li", "created": None, "duration": 300.0}
        piece = [start + 1.5, start + 4.0, f"Sentence at {start:g}."]
        return {"pieces": [piece], "next": following, "language": "en", "about": about}

    def close(self):
        self.closed.set()


@pytest.fixture(autouse=True)
def model(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "check_model", lambda name: None)
    monkeypatch.setattr(module, "speech_model", lambda name: tmp_path)
    monkeypatch.setattr(module, "model_fingerprint", lambda folder: "a model")


@pytest.fixture
def recording(tmp_path):
    path = tmp_path / "talk.mp3"
    path.write_bytes(b"sound")
    return path


def reader_with(worker, **parameters):
    reader = SpeechReader(**parameters)
    reader._worker = worker
    return reader


def read(reader, path):
    return reader.read(path, hashlib.sha256(b"sound").hexdigest())


def test_windows_are_one_text_with_times(recording):
    worker = Worker()
    found = read(reader_with(worker), recording)
    assert found["text"] == "[0:01] Sentence at 0.\n\n[1:41] Sentence at 100.\n\n[3:21] Sentence at 200.\n"
    assert [seconds for _, seconds in found["time_marks"]] == [1, 101, 201]
    assert (found["title"], found["metadata"]) == ("The talk", {"author": "Ann Li", "duration": "5:00"})
    assert worker.asked == [0.0, 100.0, 200.0]


def test_what_was_interrupted_goes_on_behind_the_last_window(recording):
    with pytest.raises(SourceError):
        read(reader_with(Worker(breaks_at=200.0)), recording)
    worker = Worker()
    assert "Sentence at 0." in read(reader_with(worker), recording)["text"]
    assert worker.asked == [200.0]
    again = Worker()
    assert read(reader_with(again), recording)["time_marks"]
    assert again.asked == []


def test_another_length_of_windows_begins_anew(recording):
    read(reader_with(Worker()), recording)
    worker = Worker()
    read(reader_with(worker, window_s=120), recording)
    assert worker.asked == [0.0, 100.0, 200.0]


def test_a_cancelled_run_ends_the_process_at_once(recording):
    worker, run, caught = Worker(), Run(), []
    worker.hangs = True

    def work():
        with cancellable(run):
            try:
                read(reader_with(worker), recording)
            except RunCancelledError as error:
                caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    until(lambda: worker.asked)
    began = time.monotonic()
    run.cancelled.set()
    thread.join(10)
    assert caught
    assert worker.closed.is_set()
    assert time.monotonic() - began < 5


def test_the_limit_of_time_grows_with_the_window(recording):
    short, long = Worker(), Worker()
    read(reader_with(short, window_s=60), recording)
    read(reader_with(long, window_s=600), recording)
    assert short.limits[0] < long.limits[0]


def test_chapters_beside_it_are_headings(recording):
    listed = {"chapters": [{"startTime": 0, "title": "First"}, {"startTime": 101, "title": "Second"}]}
    recording.with_name("talk.chapters.json").write_text(json.dumps(listed))
    text = read(reader_with(Worker()), recording)["text"]
    assert text.startswith("## First\n\n[0:01]")
    assert "## Second\n\n[1:41]" in text


def test_a_file_that_has_changed_is_refused(recording):
    recording.write_bytes(b"other")
    with pytest.raises(SourceError) as raised:
        read(reader_with(Worker()), recording)
    assert raised.value.code == "source_changed"


def test_a_missing_extra_is_the_failure_of_the_file(recording, monkeypatch):
    def missing(name):
        raise MissingLibraryError("not installed", "pip install 'knowledge-hub[speech]'")

    monkeypatch.setattr(module, "check_model", missing)
    with pytest.raises(SourceError, match=r"talk\.mp3") as raised:
        read(SpeechReader(), recording)
    assert (raised.value.code, "[speech]" in raised.value.remedy) == ("library_missing", True)


def test_silence_is_a_failure_that_says_so(recording):
    worker = Worker()
    worker.ask = lambda request, timeout_s: {"pieces": [], "next": None, "language": None, "about": {}}
    with pytest.raises(SourceError, match="nothing is said"):
        read(reader_with(worker), recording)


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"window_s": 5}, {"slowness": 0}])
def test_numbers_that_are_too_small_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        SpeechReader(**wrong)
