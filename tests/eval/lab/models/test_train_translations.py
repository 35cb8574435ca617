import gzip
import json
import sys
from pathlib import Path

import pytest

from khub.eval.lab.models import train_translations
from khub.eval.lab.models.corpus import LEFT_OUT_SOURCE, Pair
from khub.eval.lab.models.train_translations import align, term_pairs, translations

pytestmark = pytest.mark.unit

SENTENCES = [
    ("open the file", "打开文件"),
    ("close the file", "关闭文件"),
    ("open the window", "打开窗口"),
    ("close the window", "关闭窗口"),
]


def write(path: Path, rows: list[dict[str, str]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def learned(sentences: list[tuple[str, str]], least: float = 0.4) -> dict[str, str]:
    pairs = [Pair(en, zh, "") for en, zh in sentences]
    return {en: zh for en, zh, _ in reversed(translations(align(list(term_pairs(pairs))), least))}


def test_words_that_meet_in_turn_are_told_apart() -> None:
    assert learned(SENTENCES) == {"open": "打开", "close": "关闭", "file": "文件", "window": "窗口"}


def test_an_unsure_translation_is_left_out() -> None:
    assert learned(SENTENCES, least=1.1) == {}


def test_the_weight_is_the_mean_of_both_directions() -> None:
    # "文件" is made by "file" alone; "file" makes "文件" half of the time and "档案" the other half
    pairs = [Pair("file", "文件", ""), Pair("file", "档案", "")] * 3
    [_, *rest] = found = translations(align(list(term_pairs(pairs))), 0.1)
    assert {(en, zh): round(weight, 2) for en, zh, weight in found} == {("file", "文件"): 0.71, ("file", "档案"): 0.71}
    assert rest


def test_a_long_pair_and_one_without_chinese_say_nothing() -> None:
    pairs = [Pair("file " * 200, "文件", ""), Pair("file", "file", ""), Pair("the", "文件", "")]
    assert [english for english, _ in term_pairs(pairs)] == [["the"]]


def test_the_table_is_written_without_the_source_that_is_left_out(tmp_path: Path, monkeypatch) -> None:
    rows = [{"en": en, "zh": zh, "source": "docs"} for en, zh in SENTENCES]
    rows += [{"en": "hook", "zh": "钩子", "source": LEFT_OUT_SOURCE}] * 3
    pairs, names = tmp_path / "pairs.jsonl.gz", tmp_path / "names.jsonl.gz"
    write(pairs, rows)
    write(names, [{"en": "Peru", "zh": "秘鲁", "source": "cldr"}, {"en": "Lima", "zh": "利马", "source": "geonames"}])

    def train(*options: str) -> str:
        out = tmp_path / "translations.tsv"
        arguments = ["train", str(out), "--pairs", str(pairs), "--names", str(names), "--least", "0.4", *options]
        monkeypatch.setattr(sys, "argv", arguments)
        train_translations.main()
        return out.read_text(encoding="utf-8")

    table = train()
    assert "file\t文件\t" in table
    assert "peru\t秘鲁\t1.00\n" in table
    assert "hook" not in table
    assert "lima" not in table
    assert "hook\t钩子\t1.00\n" in train("--all-sources")
    (tmp_path / "words.tsv").write_text("锚点\tanchor\n", encoding="utf-8")
    (tmp_path / "statements.tsv").write_text("", encoding="utf-8")
    assert "anchor" not in table
    assert "anchor\t锚点\t1.00\n" in train("--written", str(tmp_path))
