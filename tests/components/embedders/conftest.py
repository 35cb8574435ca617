import pytest

from khub.components.embedders.model_folder import load_model
from khub.components.embedders.static_model import StaticModel


@pytest.fixture
def khub_fast() -> StaticModel:
    """Return the static model that ships."""
    loaded = load_model("khub-fast")
    assert isinstance(loaded, StaticModel)
    return loaded
