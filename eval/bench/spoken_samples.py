"""Recordings whose words and times are known, joined from spoken sentences."""

import shutil
import subprocess
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from khub.components.converters.speech.sound_windows import RATE, SoundWindows

PAUSE_S = 0.5
SENTENCES = "sentences.txt"
ENGLISH = [
    "Good morning and welcome to the monthly meeting of the garden club.",
    "Today we talk about watering tomatoes in a dry summer.",
    "The first rule is to water early in the morning, before the sun is high.",
    "The second rule is to water the roots and never the leaves.",
    "Put straw on the ground to keep the soil moist.",
    "In July we will visit the greenhouse of the university.",
    "The library opens at seven in the evening on the second of March.",
    "Every member of the club may bring one friend for free.",
    "Please write your name on the list next to the door.",
    "The next meeting is on the last Thursday of the month.",
]


@dataclass(frozen=True)
class SpokenSentence:
    """A sentence, and its sound: 16,000 samples a second."""

    text: str
    samples: np.ndarray


@dataclass(frozen=True)
class Recording:
    """A file, the sentences in it, the second at which each begins, and how many seconds it has."""

    path: Path
    sentences: list[str]
    starts: list[float]
    seconds: float


def synthetic(folder: Path) -> list[SpokenSentence]:
    """Let espeak-ng say English sentences.

    :param folder: for its files.
    """
    if shutil.which("espeak-ng") is None:
        raise SystemExit("espeak-ng, which says the English sentences, is not installed")
    said = []
    for number, text in enumerate(ENGLISH, 1):
        path = folder / f"espeak-{number}.wav"
        subprocess.run(["espeak-ng", "-v", "en-gb", "-s", "150", "-w", str(path), text], check=True)
        said.append(SpokenSentence(text, _samples(path)))
    return said


def recorded(folder: Path) -> list[SpokenSentence]:
    """Return the sentences of a folder: 1.wav, 2.wav … say the lines of `sentences.txt`."""
    lines = (folder / SENTENCES).read_text(encoding="utf-8").splitlines()
    return [SpokenSentence(line, _samples(folder / f"{number}.wav")) for number, line in enumerate(lines, 1)]


def joined(said: Sequence[SpokenSentence], path: Path, seconds: float = 0.0) -> Recording:
    """Write sentences behind each other, with a pause after each.

    :param seconds: they are repeated until the recording has so many.
    """
    texts: list[str] = []
    starts: list[float] = []
    length = 0
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        while not texts or length < seconds * RATE:
            for one in said:
                texts.append(one.text)
                starts.append(length / RATE)
                sound = np.concatenate([one.samples, np.zeros(int(PAUSE_S * RATE), np.float32)])
                file.writeframes((sound * 32767).astype("<i2").tobytes())
                length += len(sound)
    return Recording(path, texts, starts, length / RATE)


def _samples(path: Path) -> np.ndarray:
    sound = SoundWindows(path)
    try:
        found = sound.next(3600)
    finally:
        sound.close()
    return found if found is not None else np.zeros(0, np.float32)
