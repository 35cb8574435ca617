"""The teacher, khub-base: run once over every text, its vectors kept on disk."""

import hashlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from khub.components.embedders.model_folder import load_model

TEACHER = "khub-base"
TEXTS_PER_SHARD = 16384


def teacher_vectors(texts: Sequence[str], cache: Path) -> np.ndarray:
    """Return the teacher's vectors of the texts; what an earlier run has computed is read from the cache.

    :param texts: texts with the prefix that they are embedded with.
    :param cache: folder for shards of up to 16,384 texts (their hashes and vectors), so that a run that was interrupted
        goes on where it stopped, and a larger training text costs only what is new in it.
    :returns: float16 array (texts, 384), unit length.
    """
    cache.mkdir(parents=True, exist_ok=True)
    model = load_model(TEACHER)
    keys = [_key(model.fingerprint, text) for text in texts]
    known = _read_shards(cache, set(keys))
    missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items())
    for start in range(0, len(missing), TEXTS_PER_SHARD):
        part = dict(missing[start : start + TEXTS_PER_SHARD])
        began = time.monotonic()
        vectors = model.encode(list(part.values())).astype(np.float16)
        _write_shard(cache, list(part), vectors)
        known.update(zip(part, vectors, strict=True))
        sys.stderr.write(f"teacher: {start + len(part):,} of {len(missing):,}, {time.monotonic() - began:.0f} s\n")
    return np.stack([known[key] for key in keys])


def _key(fingerprint: str, text: str) -> bytes:
    return hashlib.sha256(f"{fingerprint}\0{text}".encode()).digest()[:16]


def _read_shards(cache: Path, wanted: set[bytes]) -> dict[bytes, np.ndarray]:
    known: dict[bytes, np.ndarray] = {}
    for file in sorted(cache.glob("teacher-*.npz")):
        with np.load(file) as shard:
            keys = (row.tobytes() for row in shard["keys"])
            known.update((key, vector) for key, vector in zip(keys, shard["vectors"], strict=True) if key in wanted)
    return known


def _write_shard(cache: Path, keys: list[bytes], vectors: np.ndarray) -> None:
    name = hashlib.sha256(b"".join(keys)).hexdigest()[:24]
    unfinished = cache / f"unfinished-{name}.npz"
    np.savez(unfinished, keys=np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, 16), vectors=vectors)
    unfinished.replace(cache / f"teacher-{name}.npz")
