"""Token ids of mixed text: order, unknown pieces, special tokens, hostile strings."""

from pathlib import Path

import numpy as np
import pytest
from tiny_onnx import ids_of, word_tokenizer, write_model

from khub.components.embedders.piece_tokenizer import BATCH, PieceTokenizer
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> PieceTokenizer:
    return PieceTokenizer(write_model(tmp_path_factory.mktemp("tok")))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("the heron wades", ["the", "heron", "wades"]),
        ("苍鹭在水中", ["苍", "鹭", "在", "水", "中"]),
        ("the 苍鹭 herons, 在b水", ["the", "苍", "鹭", "heron", "##s", "[UNK]", "在", "b", "水"]),
        ("苍鹭龘水 a", ["苍", "鹭", "[UNK]", "水", "a"]),
        ("", []),
        (" \n\t\u200b", []),
        ("\x00\x07 a\x1b", ["a"]),
        ("a\ud800 b", ["a", "[UNK]", "b"]),
        ("a \udfff苍", ["a", "[UNK]", "苍"]),
        ("thé hëron 苍", ["the", "heron", "苍"]),
    ],
)
def test_ids_stand_in_the_order_of_the_text(tokenizer: PieceTokenizer, text: str, pieces: list[str]):
    ids = tokenizer.encode([text])[0]
    assert ids.dtype == np.int64
    assert ids.tolist() == ids_of(*pieces)


def test_names_of_special_tokens_are_text(tokenizer: PieceTokenizer):
    ids = tokenizer.encode(["a [SEP] b [MASK] 苍鹭 [CLS]"])[0].tolist()
    assert not set(ids) & set(ids_of("[SEP]", "[MASK]", "[CLS]"))


def test_every_text_gets_its_own_ids_in_any_number(tokenizer: PieceTokenizer):
    texts = [("苍鹭 " if i % 3 else "the ") + "a " * (i % 5) for i in range(3 * BATCH + 1)]
    together = [ids.tolist() for ids in tokenizer.encode(texts)]
    assert together == [tokenizer.encode([text])[0].tolist() for text in texts]
    assert tokenizer.encode([]) == []


@pytest.mark.parametrize("part", ["the heron wades ", "苍鹭在水中", "a苍鹭"])
def test_nothing_of_a_long_text_is_cut(tokenizer: PieceTokenizer, part: str):
    count = 300_000 // len(part)
    once = tokenizer.encode([part])[0].tolist()
    assert tokenizer.encode([part * count])[0].tolist() == once * count


@pytest.mark.parametrize("processor", [True, False])
def test_special_tokens(tmp_path: Path, processor: bool):
    write_model(tmp_path)
    word_tokenizer(processor=processor, truncation=9).save(str(tmp_path / "tokenizer.json"))
    tokenizer = PieceTokenizer(tmp_path)
    assert [ids.tolist() for ids in tokenizer.special] == [ids_of("[CLS]"), ids_of("[SEP]")]
    assert tokenizer.truncation == 9
    assert len(tokenizer.encode(["a " * 20])[0]) == 20


def test_special_tokens_of_the_post_processor_come_first(tmp_path: Path):
    from tokenizers import processors

    write_model(tmp_path)
    other = word_tokenizer()
    other.post_processor = processors.TemplateProcessing(single="$A [MASK]", special_tokens=[("[MASK]", 4)])
    other.save(str(tmp_path / "tokenizer.json"))
    assert [ids.tolist() for ids in PieceTokenizer(tmp_path).special] == [[], ids_of("[MASK]")]


def test_tokenizer_without_special_tokens_is_refused(tmp_path: Path):
    file = write_model(tmp_path) / "tokenizer.json"
    word_tokenizer(processor=False).save(str(file))
    file.write_text(file.read_text(encoding="utf-8").replace("[SEP]", "[END]"), encoding="utf-8")
    with raises_code("model_damaged", "tokenizer.json", "post-processor"):
        PieceTokenizer(tmp_path)


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe\x00", b'{"version": "1.0"'])
def test_damaged_file_is_named_with_a_remedy(tmp_path: Path, content: bytes):
    path = write_model(tmp_path) / "tokenizer.json"
    path.write_bytes(content)
    with raises_code("model_damaged", path, "copy the whole"):
        PieceTokenizer(tmp_path)
