"""Expect an error of the hub by its code and by what it has to name, whatever its words are."""

import contextlib
from collections.abc import Iterator

import pytest

from khub.components.errors import KhubError


@contextlib.contextmanager
def raises_code(code: str, *named: object) -> Iterator[pytest.ExceptionInfo[KhubError]]:
    """Expect an error of a code, whose line holds names and values.

    :param named: what the line has to hold, as text.
    """
    with pytest.raises(KhubError) as error:
        yield error
    assert error.value.code == code, error.value
    assert [str(one) for one in named if str(one) not in str(error.value)] == [], error.value
