"""Whisper itself, in its own process, on sentences whose words and times are known."""

import hashlib
import threading
import time

import psutil
import pytest

from khub.components.cancellation import Run, RunCancelledError, cancellable
from khub.components.converters.markitdown_converter import MarkItDownConverter
from khub.components.converters.speech.speech_cache import SpeechCache
from khub.components.converters.speech.speech_reader import SpeechReader
from khub.components.text.language import detect_language
from tests.components.converters.speech.spoken import GARDEN, SAID, mandarin, needs_speech, spoken
from tests.conditions import until

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

NEAR_S = 2.0
MISHEARD = 1
"""So many of twenty-one words a small model may take for others: its sums differ from one processor to the next."""


@pytest.fixture
def reader():
    needs_speech()
    made = SpeechReader(window_s=30)
    yield made
    made.close()


@pytest.fixture
def asked(reader, monkeypatch):
    """Starts of the windows that the reader's process is asked for."""
    starts, ask = [], reader._worker.ask

    def told(request, timeout_s):
        starts.append(request["start"])
        return ask(request, timeout_s)

    monkeypatch.setattr(reader._worker, "ask", told)
    return starts


def read(reader, path):
    return reader.read(path, digest(path))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def seconds_of(found, words):
    """Return the seconds at which words are said."""
    text, marks = found["text"], found["time_marks"]
    ends = [*(start for start, _ in marks[1:]), len(text)]
    return [second for (start, second), end in zip(marks, ends, strict=True) if words in text[start:end].lower()]


def test_words_and_times_over_several_windows(reader, asked, tmp_path):
    talk = spoken(tmp_path, GARDEN * 3)
    found = read(reader, talk.path)
    assert len(asked) > 2
    said = [(words, start) for words, start in zip(SAID * 3, talk.starts, strict=True)]
    missed = [one for one in said if not any(abs(second - one[1]) <= NEAR_S for second in seconds_of(found, one[0]))]
    assert len(missed) <= MISHEARD, missed
    assert all(len(seconds_of(found, words)) <= 3 for words in SAID)
    assert detect_language(found["text"]) == "en"


@pytest.mark.parametrize(
    ("voice", "sentence", "language"),
    [
        ("de", "Guten Morgen, meine Damen und Herren. Heute sprechen wir über das Wetter in den Bergen.", "de"),
        ("es", "Buenos días a todos. Hoy vamos a hablar de la historia de nuestra ciudad y de sus plazas.", "es"),
    ],
)
def test_the_language_is_told_by_the_sound(reader, tmp_path, voice, sentence, language):
    talk = spoken(tmp_path, [sentence, sentence], voice)
    read(reader, talk.path)
    (window,) = SpeechCache(_fingerprint(reader)).get(digest(talk.path))
    assert window["language"] == language


def test_mandarin_is_written_in_simplified_characters_with_times(reader, tmp_path):
    talk, sentences = mandarin(tmp_path)
    found = read(reader, talk.path)
    assert detect_language(found["text"]) == "zh"
    said = "".join(sentences)
    heard = [character for character in found["text"] if character in said]
    assert len(heard) >= 0.85 * len(said)
    for sentence, start in zip(sentences, talk.starts, strict=True):
        first = sentence[:2]
        if first in found["text"]:
            assert seconds_of(found, first)[0] == pytest.approx(start, abs=NEAR_S)


def test_a_cancelled_recording_goes_on_where_it_was(reader, asked, tmp_path):
    talk = spoken(tmp_path, GARDEN * 3)
    run, caught = Run(), []

    def work():
        with cancellable(run):
            try:
                read(reader, talk.path)
            except RunCancelledError as error:
                caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    until(lambda: len(asked) == 2)
    pid = reader._worker.pid
    began = time.monotonic()
    run.cancelled.set()
    thread.join(30)
    assert time.monotonic() - began < 5
    assert caught
    assert not psutil.pid_exists(pid)
    second = asked[1]
    asked.clear()
    found = read(reader, talk.path)
    assert asked[0] == second
    counts = [found["text"].lower().count(words) for words in SAID]
    assert max(counts) == 3
    assert sum(counts) >= 3 * len(SAID) - MISHEARD


def test_a_film_becomes_a_document_like_any_other(tmp_path):
    needs_speech()
    talk = spoken(tmp_path, GARDEN[:2])
    converter = MarkItDownConverter()
    source = {"path": str(talk.path), "doc_id": "d", "sha256": digest(talk.path), "size": talk.path.stat().st_size}
    try:
        outputs = converter.run([source])
    finally:
        converter.close()
    (document,) = outputs["documents"]
    assert document.meta["doc_type"] == "audio"
    assert document.meta["time_marks"][0][1] == 0
    assert "garden club" in document.content.lower()


def _fingerprint(reader):
    from khub.components.converters.speech.speech_model import speech_model

    return reader.fingerprint(speech_model(reader.model))
