import pytest

from khub.components.embedders.model_folder import load_model
from khub.components.embedders.static_part import static_part
from khub.components.errors import KhubError
from tests.error_codes import raises_code

pytestmark = pytest.mark.unit


def test_a_static_model_is_its_own_part() -> None:
    assert static_part("khub-fast", "x has model") is load_model("khub-fast")


def test_a_model_without_one_is_named_with_its_parameter() -> None:
    with raises_code("graph_parameter_invalid", "x has model='khub-base'") as error:
        static_part("khub-base", "x has model")
    assert "khub-fast" in error.value.remedy


def test_an_absent_model_is_an_error() -> None:
    with pytest.raises(KhubError, match="no embedding model 'absent'"):
        static_part("absent", "x has model")
