"""Token ids of mixed text: order, folding, unknown pieces, special tokens, hostile strings."""

import json
from pathlib import Path

import numpy as np
import pytest
from tiny_onnx import ids_of, word_tokenizer, write_model

from components.embedders.piece_tokenizer import BATCH, PieceTokenizer
from components.errors import KhubError

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> PieceTokenizer:
    folding = {"from": "蒼鷺國Ａ🅰", "to": "苍鹭国aa"}
    return PieceTokenizer(write_model(tmp_path_factory.mktemp("tok"), han=True, config={"folding": folding}))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("the heron wades", ["the", "heron", "wades"]),
        ("苍鹭在水中", ["苍鹭", "在", "水中"]),
        ("the 苍鹭 herons, 在b水中", ["the", "苍鹭", "heron", "##s", "[UNK]", "在", "b", "水中"]),
        ("a苍a鹭a", ["a", "苍", "a", "鹭", "a"]),
        ("苍鹭😀苍鹭 a", ["苍鹭", "[UNK]", "苍鹭", "a"]),  # offsets are in characters, not in bytes or UTF-16
        ("苍鹭龘龘水 a", ["苍鹭", "水", "a"]),  # pieces that are not known are left out
        ("龘", []),
        ("\uf900 a", ["a"]),
        ("蒼鷺 國 Ａ", ["苍鹭", "国", "a"]),
        ("🅰🅰 苍鹭", ["[UNK]", "苍鹭"]),
        ("", []),
        (" \n\t\u200b", []),
        ("\x00\x07 a\x1b", ["a"]),
        ("a\ud800 b", ["a", "[UNK]", "b"]),
        ("a \udfff苍鹭", ["a", "[UNK]", "苍鹭"]),
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


def test_without_han_json_the_tokenizer_gets_all(tmp_path: Path):
    tokenizer = PieceTokenizer(write_model(tmp_path, config={"folding": {"from": "鹭", "to": "c"}}))
    assert tokenizer.encode(["a 苍鹭"])[0].tolist() == ids_of("a", "[UNK]", "c")
    assert tokenizer.highest_id == ids_of("z")[0]


def test_offset_of_the_han_pieces(tmp_path: Path):
    tokenizer = PieceTokenizer(write_model(tmp_path, han=True, config={"han_offset": 100}))
    assert tokenizer.encode(["a苍鹭"])[0].tolist() == [*ids_of("a"), 101]
    assert tokenizer.highest_id == 107


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
    with pytest.raises(KhubError, match=r"tokenizer\.json has neither a post-processor nor .*copy the whole model"):
        PieceTokenizer(tmp_path)


@pytest.mark.parametrize(
    "config",
    [
        {"folding": {"from": "ab", "to": "a"}},
        {"folding": {"from": "ab"}},
        {"folding": "ab"},
        {"folding": ["a"]},
        {"folding": {"from": 1, "to": 2}},
        {"han_offset": None},
        {"han_offset": 3},
        {"han_offset": "19"},
    ],
)
def test_settings_that_cannot_be_are_refused(tmp_path: Path, config: dict):
    with pytest.raises(KhubError, match=rf"config\.json is damaged .*{next(iter(config))}"):
        PieceTokenizer(write_model(tmp_path, han=True, config=config))


@pytest.mark.parametrize("name", ["tokenizer.json", "han.json", "config.json"])
@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe\x00", b'{"version": "1.0"'])
def test_damaged_file_is_named_with_a_remedy(tmp_path: Path, name: str, content: bytes):
    path = write_model(tmp_path, han=True) / name
    path.write_bytes(content)
    with pytest.raises(KhubError) as caught:
        PieceTokenizer(tmp_path)
    assert str(path) in caught.value.message
    assert "copy the whole model folder again" in caught.value.remedy


def test_han_json_has_to_be_a_unigram_model(tmp_path: Path):
    file = write_model(tmp_path, han=True) / "han.json"
    for replacement in (json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))["model"],):
        content = {**json.loads(file.read_text(encoding="utf-8")), "model": replacement}
        file.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(KhubError, match=r"han\.json is damaged .*no Unigram"):
        PieceTokenizer(tmp_path)
