"""A reason that many files failed for is said once."""

import pytest

from khub.server.library.failure_groups import failure_groups

pytestmark = pytest.mark.unit


def failed(source, error, remedy="mend it", stage="convert"):
    return {"source": source, "stage": stage, "error": error, "remedy": remedy}


def test_files_that_failed_alike_are_one_group_whatever_their_names():
    many = [failed(f"/a/{n}.pdf", f"'{n}.pdf' is damaged") for n in range(300)]
    other = [failed("/a/x.pdf", "'x.pdf' is damaged", "replace it"), failed("/a/y.md", "is empty")]
    first, second, third = failure_groups([*many[:1], *other, *many[1:]])
    assert (first.error, first.remedy, len(first.sources)) == ("is damaged", "mend it", 300)
    assert first.sources == tuple(one["source"] for one in many)
    assert [second.sources, third.sources] == [("/a/x.pdf",), ("/a/y.md",)]
    assert failure_groups([]) == []
