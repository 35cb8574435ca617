"""The README's swap to an embedder of sentence-transformers, with a tiny model whose weights are random."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.docs.markdown import ROOT, blocks
from tests.docs.unified_diff import changed_file, edit
from tests.server.hub_files import copy_pipelines

pytest.importorskip("sentence_transformers")

pytestmark = pytest.mark.e2e

TEXT = "the battery of ember robot lasts eleven hours on one charge how long does last a ? . #"
NAMED = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


def make_model(folder: Path) -> None:
    """Save a model of one layer, 32 dimensions and the vocabulary of this test."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    bert = folder / "bert"
    bert.mkdir(parents=True)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *TEXT.split()]
    (bert / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    BertTokenizerFast(vocab_file=str(bert / "vocab.txt")).save_pretrained(bert)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(BertConfig(vocab_size=len(vocabulary), **sizes)).save_pretrained(bert)
    transformer = Transformer(str(bert))
    SentenceTransformer(modules=[transformer, Pooling(32)]).save(str(folder / "model"))


def khub(folder: Path, *words: str) -> dict[str, Any]:
    """Run a command in a process of its own, in which nothing is loaded yet."""
    own = {"KHUB_HOME": str(folder / "hub"), "KHUB_PIPELINES": str(folder / "pipelines"), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-m", "khub.server.cli", *words, "--json"]
    environment = {**os.environ, **own, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder / "config")}
    done = subprocess.run(
        command, check=False, env=environment, cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    came: dict[str, Any] = json.loads(done.stdout)
    return came


def test_the_first_question_after_the_swap_is_answered_by_meaning_too(tmp_path: Path) -> None:
    make_model(tmp_path)
    copy_pipelines(tmp_path)
    (diff,) = (b.text for b in blocks(ROOT / "README.md", "diff") if NAMED in b.text)
    edit(diff, tmp_path)
    file = tmp_path / changed_file(diff)
    file.write_text(file.read_text(encoding="utf-8").replace(NAMED, str(tmp_path / "model")), encoding="utf-8")
    notes = tmp_path / "ember.md"
    notes.write_text("# Ember\n\nThe battery of the Ember robot lasts eleven hours on one charge.\n", encoding="utf-8")

    khub(tmp_path, "ingest", str(notes), "--collection", "docs")
    answer = khub(tmp_path, "query", "How long does the battery last?", "--collection", "docs")
    assert answer["degraded"] == []
    assert [leg["name"] for leg in answer["legs"] if leg["used"]] == ["dense", "sparse"]
    assert "dense" in answer["citations"][0]["ranks"]
