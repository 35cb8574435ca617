import pytest

from components.embedders.model_folder import load_model
from components.embedders.static_model import StaticModel


@pytest.fixture
def khub_fast() -> StaticModel:
    """Return the static model that ships."""
    loaded = load_model("khub-fast")
    assert isinstance(loaded, StaticModel)
    return loaded
