"""Numbers with what they count."""

import pytest

from khub.dashboard.parts.counted import counted

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(("number", "said"), [(0, "0 files"), (1, "1 file"), (1200, "1,200 files")])
def test_one_is_no_plural(number, said):
    assert counted(number, "file", "files") == said
