"""Physical indexes that are not in use are removed; nothing else is."""

import pytest

from khub.components.stores.index_paths import remove_generations, sparse_folder, sparse_root

pytestmark = pytest.mark.unit

OTHERS = ["docs_g1_g1", "docs_gx", "docs_old", "my_docs_g1"]


@pytest.fixture
def roots(tmp_path):
    roots = [tmp_path / "dense", sparse_root(tmp_path)]
    for physical in ("docs_g1", "docs_g2", "docs_g10", *OTHERS):
        for root in roots:
            (root / physical).mkdir(parents=True)
            (root / physical / "file").write_text("x", encoding="utf-8")
    return roots


def names(root):
    return sorted(p.name for p in root.iterdir())


def test_keyword_index_lies_in_the_folder_of_all(tmp_path):
    assert sparse_folder(tmp_path, "docs_g1") == sparse_root(tmp_path) / "docs_g1"


def test_index_in_use_stays(roots):
    remove_generations(roots, "docs", "docs_g10")
    assert names(roots[0]) == names(roots[1]) == sorted(["docs_g10", *OTHERS])


def test_only_the_named_folders_are_looked_into(roots):
    remove_generations(roots[:1], "docs", "docs_g2")
    assert names(roots[0]) == sorted(["docs_g2", *OTHERS])
    assert "docs_g1" in names(roots[1])


def test_nothing_in_use(roots):
    remove_generations(roots, "docs")
    assert names(roots[0]) == names(roots[1]) == OTHERS


def test_home_without_indexes(tmp_path):
    remove_generations([tmp_path / "empty"], "docs")
