import pytest

from khub.components.errors import KhubError
from khub.eval.gate.thresholds import FOLDER, Bound, read_thresholds
from tests.server.hub_files import edit

pytestmark = pytest.mark.unit


def test_the_shipped_gate_asks_for_what_was_promised():
    shipped = read_thresholds()
    limits = {bound.name: (bound.side, bound.limit) for bound in (*shipped.bounds, *shipped.judged)}
    assert limits["hit@5"] >= ("at_least", 0.90)
    assert limits["mrr@10"] >= ("at_least", 0.80)
    assert limits["ndcg@10"] >= ("at_least", 0.85)
    assert {"page_accuracy", "abstained_right", "abstained_wrong", "failed"} <= set(limits)
    assert limits["deepeval_faithfulness"] >= ("at_least", 0.90)
    assert limits["deepeval_answer_relevancy"] >= ("at_least", 0.85)
    assert shipped.legs == ["dense", "sparse"]
    for leg in shipped.legs:
        for language in ("en", "zh"):
            assert limits[f"{leg}.{language}.recall@10"] >= ("at_least", 0.80)
            assert limits[f"{leg}.{language}.ndcg@10"] >= ("at_least", 0.75)
    assert (shipped.graph, shipped.largest_fall, shipped.p_below) == ("query", 0.01, 0.05)
    assert shipped.documents.resolve() == FOLDER.parent / "samples"
    assert {file.stem for file in shipped.sets} >= {"samples", "handbook-en", "handbook-zh"}


def test_paths_start_from_the_file(gate_folder):
    read = read_thresholds(gate_folder)
    assert read.documents == gate_folder / "documents"
    assert read.sets == (gate_folder / "questions.jsonl",)
    assert read.bounds == (Bound("hit@5", "at_least", 0.5), Bound("abstained_wrong", "at_most", 0.5))


def test_bounds_of_a_leg_come_last_and_are_of_a_language(gate_folder):
    assert read_thresholds(gate_folder).legs == []
    edit(gate_folder / "thresholds.yaml", "judged:", "legs: {sparse: {zh: {hit@5: {at_least: 0.7}}}}\njudged:")
    read = read_thresholds(gate_folder)
    assert read.bounds[2:] == (Bound("hit@5", "at_least", 0.7, "sparse", "zh"),)
    assert (read.bounds[2].name, read.bounds[2].column) == ("sparse.zh.hit@5", "sparse.hit@5")
    assert (read.bounds[0].name, read.bounds[0].column) == ("hit@5", "hit@5")
    assert read.legs == ["sparse"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("graph: query\n", "", "graph is missing"),
        ("p_below", "p_bellow", "unknown key 'p_bellow': did you mean 'p_below'"),
        ("{at_least: 0.5}", "0.5", "hit@5 is 0.5: write {at_least"),
        ("{at_least: 0.5}", "{at_leest: 0.5}", "hit@5 is {'at_leest': 0.5}"),
        ("at_most: 0.5", "at_most: 50", "abstained_wrong.at_most is 50: give a number from 0 to 1"),
        ("largest_fall: 0.01", "largest_fall: true", "largest_fall is True"),
        ("judged:", "legs: {sprase: {}}\njudged:", "legs: unknown key 'sprase': did you mean 'sparse'"),
        ("judged:", "legs: {dense: {de: {}}}\njudged:", "legs.dense: unknown key 'de': use en, zh"),
        ("judged:", "legs: {dense: {zh: {}}}\njudged:", "legs.dense.zh is {}: name metrics"),
        ("judged:", "legs: {dense: {zh: {hit@5: 1}}}\njudged:", "legs.dense.zh.hit@5 is 1: write {at_least"),
        ("judged:", "legs: [dense]\njudged:", "legs is ['dense']: write dense, sparse"),
        ("questions.jsonl", "questions.json", "where no golden set is"),
        ("graph: query", "graph: [", "is not YAML"),
    ],
)
def test_what_is_wrong_is_named(gate_folder, old, new, message):
    edit(gate_folder / "thresholds.yaml", old, new)
    with pytest.raises(KhubError) as error:
        read_thresholds(gate_folder)
    assert message in str(error.value)
    assert "thresholds.yaml" in str(error.value)


def test_a_folder_without_thresholds_is_named(tmp_path):
    with pytest.raises(KhubError, match=r"thresholds\.yaml cannot be read"):
        read_thresholds(tmp_path)
