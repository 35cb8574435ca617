"""Programs that work beside whoever starts them."""

import pytest

from khub.components.errors import KhubError
from khub.server.library.program import Program


@pytest.mark.integration
def test_what_a_converter_leaves_out_is_told(tmp_path):
    file = tmp_path / "letter.eml"
    file.write_text("Subject: Re: herons\n\nThey wade.\n\nOn Monday, Ann wrote:\n> Do herons wade?\n", encoding="utf-8")
    program = Program("reading", "khub.server.library.left_out_process", str(file))
    program.wait()
    assert sum(program.answer().values()) >= 1


@pytest.mark.integration
def test_a_program_that_fails_says_why(tmp_path):
    program = Program("reading", "khub.server.library.left_out_process", str(tmp_path / "missing.eml"))
    with pytest.raises(KhubError, match="still running"):
        program.answer()
    program.wait()
    with pytest.raises(KhubError, match="does not exist"):
        program.answer()
