"""The vectors of single tokens that a model has."""

from khub.components.embedders.model_folder import load_model
from khub.components.embedders.static_model import StaticModel
from khub.components.errors import ParameterError


def static_part(model: str, named_by: str) -> StaticModel:
    """Load a static model.

    :param model: name of a shipped model, or path of a model folder.
    :param named_by: the parameter that names it, for the message of an error.
    :raises KhubError: when there is no such model, or when one of its files is missing or damaged.
    :raises GraphError: when it has no vectors of single tokens.
    """
    static = load_model(model)
    if not isinstance(static, StaticModel):
        raise ParameterError(
            f"{named_by}={model!r}, which has no vectors of single tokens", "name a static model, such as khub-fast"
        )
    return static
