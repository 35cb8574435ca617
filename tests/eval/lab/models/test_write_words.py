import gzip
import json
import sys
from pathlib import Path

import pytest

from khub.eval.lab.models import write_words
from khub.eval.lab.models.corpus import Pair
from khub.eval.lab.models.write_words import counted, sample, with_names, written_glosses

pytestmark = pytest.mark.unit


@pytest.fixture
def written(tmp_path: Path) -> Path:
    rows = ["端口\tport; gateway\t口子", "的\tof", "维生素C\tvitamin C"]
    (tmp_path / "words.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    row = "端口是八零。\tThe port is 80.\t端口是多少？\tWhich port?\t端口\tport"
    (tmp_path / "statements.tsv").write_text(row + "\n", encoding="utf-8")
    return tmp_path


def test_words_of_chinese_characters_have_their_glosses_and_those_that_say_nothing_have_none(written: Path) -> None:
    assert written_glosses(written) == {"端口": "port; gateway", "的": ""}


def test_names_are_added_where_no_word_is_known_by_them() -> None:
    names = [
        Pair("Stillwater", "斯蒂尔沃特", "geonames"),
        Pair("Duankou", "端口", "geonames"),
        Pair("one; two", "坏名字", "geonames"),
        Pair("port", "港", "geonames"),
        Pair("toe, tracks", "趾印", "unihan"),
    ]
    assert with_names({"端口": "port"}, names) == {"端口": "port", "斯蒂尔沃特": "Stillwater"}


def test_words_are_counted_as_they_are_cut() -> None:
    glosses = {"研究": "research", "研究生": "postgraduate", "生命": "life"}
    table = counted(glosses, ["研究生命", "生命", "研究", "研究生", "生命中"])
    assert {word: count for word, (count, _) in table.items() if count} == {
        "研究": 2, "生命": 3, "研究生": 1, "中": 1
    }  # fmt: skip
    assert table["研究"][1] == "research"
    assert table["中"][1] == ""


def test_the_sample_ends_at_so_many_characters_and_is_the_same_each_time() -> None:
    texts = [f"第{'一二三四五六七八九'[n % 9]}行 and more" for n in range(50)]
    drawn = sample(texts, 30, 1)
    assert 30 <= sum(map(len, drawn)) < 33
    assert drawn == sample(texts, 30, 1) != sample(texts, 30, 2)


def test_the_table_is_written(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = {
        "pairs": [{"en": "open", "zh": "打开端口", "source": "x"}],
        "names": [{"en": "Stillwater", "zh": "斯蒂尔沃特", "source": "geonames"}],
        "news": [{"text": "端口开了。"}],
    }
    options = []
    for name, rows in sources.items():
        with gzip.open(tmp_path / f"{name}.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        options += [f"--{name}", str(tmp_path / f"{name}.gz")]
    out = tmp_path / "out.tsv"
    monkeypatch.setattr(sys, "argv", ["write_words", str(out), "--written", str(written), *options])
    write_words.main()
    rows = dict(line.split("\t", 1) for line in out.read_text(encoding="utf-8").splitlines())
    assert rows["端口"] == "port; gateway\t5"
    assert rows["斯蒂尔沃特"] == "Stillwater\t0"
    assert rows["打"] == "\t1"
