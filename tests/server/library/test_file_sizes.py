from pathlib import Path

import pytest

from khub.server.library.file_sizes import FileSizes

pytestmark = pytest.mark.unit


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    sizes = {"large.pdf": 700, "small.md": 100, "same.md": 200}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"x" * size)
    return [str(tmp_path / name) for name in (*sizes, "gone.md")]


def test_a_large_file_is_most_of_the_work_and_an_unchanged_one_none(files: list[str]) -> None:
    large, small, same, gone = files
    work = FileSizes(files)

    assert work.share() == 0
    work.end([(same, "unchanged"), (small, "written")])
    assert work.share() == pytest.approx(1 / 8)
    work.end([(large, "failed"), (gone, "failed"), ("of nobody", "written")])
    assert work.share() == 1


def test_what_has_no_size_says_nothing() -> None:
    assert FileSizes(["https://example.com/a"]).share() is None
