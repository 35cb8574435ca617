"""The syntax of `--set`, and what it says of names that do not exist."""

from copy import deepcopy

import pytest
import yaml

from khub.components.errors import GraphError, KhubError
from khub.eval.sweep.parameter_path import locate, read_setting, read_settings
from tests.server.hub_files import FIXED

pytestmark = pytest.mark.unit

INNER = ("components", "dense", "init_parameters")
QUERY = yaml.safe_load((FIXED / "query.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def query():
    return deepcopy(QUERY)


@pytest.mark.parametrize(
    ("text", "path", "values"),
    [
        ("dense.top_k=10,20,50", "dense.top_k", (10, 20, 50)),
        (" rank.sparse_weight = 0.3, 0.5 ", "rank.sparse_weight", (0.3, 0.5)),
        ("dense.embedder.model=khub-base,khub-fast", "dense.embedder.model", ("khub-base", "khub-fast")),
        ("a.b=true,null", "a.b", (True, None)),
        ("a.b='x, y',z", "a.b", ("x, y", "z")),
        ("a.b=[1, 5],[1, 10]", "a.b", ([1, 5], [1, 10])),
        ("a.b={t: 0}", "a.b", ({"t": 0},)),
        ("a.b=1,1,true,1.0", "a.b", (1, True, 1.0)),
    ],
)
def test_values_are_yaml(text, path, values):
    setting = read_setting(text)
    assert setting.path == path
    assert [(type(v), v) for v in setting.values] == [(type(v), v) for v in values]


@pytest.mark.parametrize(
    "text", ["dense.top_k", "dense=3", "dense.=3", ".top_k=3", "a..b=3", "a.b=", "a.b=1,,2", "a.b=[1"]
)
def test_what_is_not_of_the_form_is_refused_with_the_form(text):
    with pytest.raises(KhubError, match=r"dense\.top_k=10,20"):
        read_setting(text)


def test_a_parameter_is_set_once():
    with pytest.raises(KhubError, match=r"'a\.b' is set twice"):
        read_settings(["a.b=1", "a.b=2"])
    with pytest.raises(KhubError, match="nothing to vary"):
        read_settings([])


@pytest.mark.parametrize(
    ("path", "keys"),
    [
        ("dense.top_k", (*INNER, "top_k")),
        ("dense.embedder.model", (*INNER, "embedder", "init_parameters", "model")),
        (
            "dense.template.store.distance_function",
            (*INNER, "template", "init_parameters", "store", "init_parameters", "distance_function"),
        ),
        ("answer.min_confidence", ("components", "answer", "init_parameters", "min_confidence")),
    ],
)
def test_a_path_leads_through_objects(query, path, keys):
    assert locate(path, query) == keys


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("dens.top_k", r"no component 'dens': did you mean 'dense'\?"),
        ("zzz.top_k", f"no component 'zzz': it has {', '.join(sorted(QUERY['components']))}"),
        ("dense.topk", r"DenseRetriever has no parameter 'topk': did you mean 'top_k'\?"),
        ("dense.embedder.modl", r"TextEmbedder has no parameter 'modl': did you mean 'model'\?"),
        (
            "answer.zzz",
            "it has mark_model, max_characters, min_confidence, sure_confidence, top_k",
        ),
        ("dense.top_k.more", "'top_k' holds a int"),
        ("answer.min_confidence.x", "'min_confidence' is not written in the file"),
        ("dense.template.stor", r"StoreTemplate has no parameter 'stor': did you mean 'store'\?"),
    ],
)
def test_an_unknown_name_is_told_with_the_one_that_may_be_meant(query, path, said):
    with pytest.raises(GraphError, match=said) as raised:
        locate(path, query)
    assert repr(path) in str(raised.value)
