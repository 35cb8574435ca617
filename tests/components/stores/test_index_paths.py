"""Folders of generations that are not in use are removed; nothing else is."""

import pytest

from components.stores.index_paths import dense_folder, remove_old_generations, sparse_folder

pytestmark = pytest.mark.unit


@pytest.fixture
def names(tmp_path):
    for physical in ("docs_g1", "docs_g2", "docs_g10", "docs_g1_g1", "docs_old", "my_docs_g1", "docs_gx"):
        for folder in (dense_folder(tmp_path, physical), sparse_folder(tmp_path, physical)):
            folder.mkdir(parents=True)
            (folder / "file").write_text("x", encoding="utf-8")

    def names(leg):
        return sorted(p.name for p in (tmp_path / leg).iterdir())

    return names


OTHERS = ["docs_g1_g1", "docs_gx", "docs_old", "my_docs_g1"]


def test_generations_in_use_stay(names, tmp_path):
    remove_old_generations(tmp_path, "docs", dense=2, sparse=10)
    assert names("dense") == sorted(["docs_g2", *OTHERS])
    assert names("sparse") == sorted(["docs_g10", *OTHERS])


def test_nothing_in_use(names, tmp_path):
    remove_old_generations(tmp_path, "docs", dense=0, sparse=0)
    assert names("dense") == names("sparse") == OTHERS


def test_home_without_indexes(tmp_path):
    remove_old_generations(tmp_path / "empty", "docs", 1, 1)
