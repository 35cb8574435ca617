"""The files beside the graph in a folder of the base model: tokenizers and settings."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from eval.models.teacher import TEACHER, WEIGHTS_SHA256

WINDOW = 144  # tokens; MiniLM learnt on texts of up to 128: much longer or shorter windows find less
SCORE_DIGITS = 4


def write_tokenizers(teacher: Path, folder: Path, folding: np.ndarray) -> None:
    """Write what the tokenizer needs while the model is trained: the teacher's ids, Chinese pieces after them.

    :param teacher: folder of the teacher.
    :param folder: folder that has `han.json` already.
    :param folding: uint32 array (n, 2), code points and their replacements.
    """
    tokenizer = json.loads((teacher / "tokenizer.json").read_text(encoding="utf-8"))
    write_json(folder / "tokenizer.json", tokenizer | {"truncation": None, "padding": None, "post_processor": None})
    write_config(folder, len(tokenizer["model"]["vocab"]), folding)


def write_config(folder: Path, han_offset: int, folding: np.ndarray, blend: dict[str, Any] | None = None) -> None:
    """Write `config.json`; `blend` is the static model that helps, and its weight."""
    config = {
        "model_type": "onnx",
        "languages": ["en", "zh"],
        "hidden_dim": 384,
        "max_tokens": WINDOW,
        "han_offset": han_offset,
        "license": "Apache-2.0",
        "teacher": TEACHER,
        "teacher_sha256": WEIGHTS_SHA256,
        "folding": {
            side: "".join(chr(int(code)) for code in folding[:, column]) for column, side in enumerate(("from", "to"))
        },
    }
    config |= {"blend": blend} if blend else {}
    text = json.dumps(config, indent=2, ensure_ascii=False) + "\n"
    (folder / "config.json").write_text(text, encoding="utf-8", newline="\n")


def write_han(source: Path, folder: Path) -> None:
    """Copy `han.json` with shorter scores, which are half of its size."""
    data = json.loads(source.read_text(encoding="utf-8"))
    data["model"]["vocab"] = [[piece, round(score, SCORE_DIGITS)] for piece, score in data["model"]["vocab"]]
    write_json(folder / "han.json", data)


def write_json(path: Path, value: object) -> None:
    """Write JSON without a newline: its bytes are part of the fingerprint, and version control may change newlines."""
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
