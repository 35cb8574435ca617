import io

import pytest

from khub.components.converters.framing import read_message, write_message

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "message", [{}, {"path": "/x/报告 \n.pdf", "n": 1.5}, {"name": "lone \udcff"}, {"t": "x" * 200_000}]
)
def test_round_trip(message):
    stream = io.BytesIO()
    write_message(stream, message)
    write_message(stream, {"next": True})
    stream.seek(0)
    assert read_message(stream) == message
    assert read_message(stream) == {"next": True}
    assert read_message(stream) is None


@pytest.mark.parametrize("kept", [1, 3, 4, 10])
def test_a_message_that_breaks_off(kept):
    stream = io.BytesIO()
    write_message(stream, {"key": "value"})
    assert read_message(io.BytesIO(stream.getvalue()[:kept])) is None
