import pytest

from khub.eval.lab.comparison.data_set import chunks_of, prepare, read_questions, split_questions, write_files
from khub.eval.lab.comparison.known_items import Question


def questions(number):
    return [Question(f"question {n}", str(n)) for n in range(number)]


@pytest.mark.unit
@pytest.mark.parametrize(
    ("made", "timed", "parts"),
    [(43, 20, (3, 20, 20)), (30, 20, (3, 6, 20)), (10, 20, (2, 2, 6)), (1, 20, (1, 0, 1)), (60, 20, (3, 20, 20))],
)
def test_questions_are_divided(made, timed, parts):
    divided = split_questions(questions(made), timed)
    assert tuple(map(len, divided)) == parts
    assert len({*divided.warm, *divided.timed}) == parts[1] + parts[2]


@pytest.mark.unit
def test_generated_files_are_half_chinese_and_come_of_the_seed(tmp_path):
    for seed in (1, 1, 2):
        write_files(tmp_path / str(seed), 100, seed)
    texts = {p.relative_to(tmp_path).as_posix(): p.read_text(encoding="utf-8") for p in tmp_path.rglob("*.md")}
    assert {name: text.isascii() for name, text in texts.items() if name[0] == "1"} == {
        "1/00000-en.md": True, "1/00001-en.md": True, "1/00000-zh.md": False, "1/00001-zh.md": False
    }  # fmt: skip
    assert texts["1/00000-en.md"] != texts["2/00000-en.md"]


@pytest.mark.integration
def test_a_size_gives_exactly_so_many_chunks(tmp_path):
    figures = prepare(61, tmp_path, 10, seed=1)
    chunks = list(chunks_of(tmp_path))
    assert figures["kept"] == len(chunks) == 61
    assert [sum(c.content.isascii() for c in chunks), sum(not c.content.isascii() for c in chunks)] == [31, 30]
    assert figures["chunks"] >= 61
    assert figures["failed"] == 0
    assert {"convert", "split", "embed", "write"} <= figures["stages_ms"].keys()
    assert all(c.text.endswith(c.content) and len(c.text) > len(c.content) for c in chunks)
    assert len(read_questions(tmp_path).timed) == 10
