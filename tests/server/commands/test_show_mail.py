"""`khub show` of a mail."""

import pytest

from khub.server.commands.show import _left

pytestmark = pytest.mark.unit


def test_what_was_left_out_of_a_mail_is_a_line():
    zips = {"reason": "an archive is not opened", "remedy": "unpack it", "names": ["a.zip", "b.zip"], "count": 5}
    empty = {"reason": "it is empty", "remedy": "leave it out", "names": ["c.md"], "count": 1}
    said = _left([zips, empty])
    assert said == ("a.zip, b.zip and 3 more: an archive is not opened -> unpack it; c.md: it is empty -> leave it out")
