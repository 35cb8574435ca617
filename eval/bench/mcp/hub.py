"""Hubs to measure on, made of generated text."""

import os
import subprocess
import sys
from pathlib import Path

from khub.eval.bench.corpus import Corpus

ROOT = Path(__file__).parents[3]
DOCUMENT_CHARACTERS = 65_000
CHUNK_STEP = 545  # characters of new text in a chunk of 800, measured: chunks end at sentences and overlap
GOOD_FILES, BROKEN_FILES = 46, 4


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a process that uses a hub."""
    return {**os.environ, "KHUB_HOME": str(home), "KHUB_PIPELINES": str(ROOT / "pipelines")}


INGEST_GRAPHS = ("ingest", "ingest_fast")


def filled_hub(work: Path, chunks: int, ingest_graph: str = "ingest") -> Path:
    """Return a hub with about that many chunks of English text; one that is there is used again."""
    home = work / (f"home-{chunks}" if ingest_graph == "ingest" else f"home-{chunks}-{ingest_graph}")
    done = home / "bench-filled"
    if not done.exists():
        files = work / f"files-{chunks}"
        files.mkdir(parents=True, exist_ok=True)
        characters = min(DOCUMENT_CHARACTERS, max(chunks * CHUNK_STEP // 20, CHUNK_STEP))
        count = max(1, chunks * CHUNK_STEP // characters)
        for number, text in enumerate(Corpus("en", seed=1).documents(count, characters)):
            (files / f"{number:05}.md").write_text(text, encoding="utf-8")
        khub(home, "ingest", str(files), "--graph", ingest_graph)
        done.touch()
    return home


def khub(home: Path, *arguments: str) -> None:
    """Run a khub command.

    :raises CalledProcessError: if it fails.
    """
    command = [sys.executable, "-m", "khub.server.cli", *arguments]
    subprocess.run(command, cwd=ROOT, env=environment(home), stdout=subprocess.DEVNULL, check=True)


def mixed_files(folder: Path) -> Path:
    """Return a folder of 50 files, 4 of which cannot be read."""
    folder.mkdir(parents=True, exist_ok=True)
    for language, seed in (("en", 11), ("zh", 12)):
        for number, text in enumerate(Corpus(language, seed).documents(GOOD_FILES // 2, 2500)):
            (folder / f"{language}-{number:02}.md").write_text(text, encoding="utf-8")
    (folder / "broken-0.pdf").write_bytes(b"%PDF-1.7 broken")
    (folder / "broken-1.docx").write_bytes(b"PK\x03\x04 broken")
    (folder / "broken-2.txt").write_bytes(b"")
    (folder / "broken-3.txt").write_bytes(b"\x00\x01\x02" * 100)
    return folder


def questions(count: int, seed: int = 7) -> list[str]:
    """Return questions, English and Chinese in turn."""
    english, chinese = Corpus("en", seed), Corpus("zh", seed)
    return [(chinese if number % 4 == 3 else english).question() for number in range(count)]
