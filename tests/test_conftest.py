import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit


def test_a_missing_program_skips_or_fails(needs_program, monkeypatch):
    monkeypatch.delenv("KHUB_REQUIRE_DEPS", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"no-such-program.*some-package"):
        needs_program("no-such-program", "some-package")
    monkeypatch.setenv("KHUB_REQUIRE_DEPS", "1")
    with pytest.raises(pytest.fail.Exception, match="no-such-program"):
        needs_program("no-such-program", "some-package")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    needs_program(Path(sys.executable).stem, "python3")
