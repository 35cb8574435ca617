"""A model's own code runs where the user has allowed it alone."""

import pytest

from khub.components.errors import GraphError
from khub.components.remote_code import check_remote_code, refused_code
from khub.components.trust import decide_code

pytestmark = pytest.mark.unit


def part(**parameters):
    return {"one": {"type": "a_library.Embedder", "init_parameters": parameters}}


@pytest.mark.parametrize(
    "parameters",
    [
        {"model": "m/m", "trust_remote_code": True},
        {"model": "m/m", "trust_remote_code": "no"},
        {"model": "m/m", "model_kwargs": {"trust_remote_code": True}},
        {"model": "m/m", "tokenizer_kwargs": {"trust_remote_code": 1}},
        {"model": "m/m", "config_kwargs": {"a": {"trust_remote_code": True}}},
        {"model": "m/m", "backend_kwargs": [{"trust_remote_code": True}]},
        {"embedder": {"type": "b.B", "init_parameters": {"model_name": "m/m", "trust_remote_code": True}}},
        {"template": {"store": {"type": "c.C", "model_name": "m/m", "trust_remote_code": True}}},
    ],
)
def test_it_is_found_at_whatever_depth_until_its_model_is_allowed(parameters):
    with pytest.raises(GraphError, match="m/m") as refused:
        check_remote_code(part(**parameters), "graph 'x'")
    assert "khub trust --code 'm/m'" in refused.value.remedy
    decide_code("another", allowed=True)
    assert refused_code(part(**parameters))
    decide_code("m/m", allowed=True)
    check_remote_code(part(**parameters), "graph 'x'")
    decide_code("m/m", allowed=False)
    assert refused_code(part(**parameters))


def test_a_model_of_its_own_is_asked_for_inside_of_another():
    decide_code("outer", allowed=True)
    inner = {"type": "b.B", "init_parameters": {"model": "inner", "trust_remote_code": True}}
    (found,) = refused_code(part(model="outer", trust_remote_code=True, ranker=inner))
    assert found.model == "inner"
    (found,) = refused_code({"one": {"type": "b.B", "init_parameters": {"trust_remote_code": True}}})
    assert found.model == "b.B"


def test_what_is_off_is_none():
    assert refused_code(part(model="m", trust_remote_code=False, model_kwargs={"trust_remote_code": None})) == []
    check_remote_code(None, "nothing")
