"""DeepEval and Ragas with a judge behind a server: it judges well, badly, in another language, late, or not at all."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from haystack import Pipeline
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret

from khub.components.errors import GraphError
from khub.components.extras import install_extra
from khub.components.text.language import detect_language
from khub.eval.evaluators.deepeval_evaluator import DeepEvalEvaluator
from khub.eval.evaluators.ragas_evaluator import RagasEvaluator
from tests.eval.evaluators.model_judge import judge, language_of, prompt_of
from tests.eval.examples.chat_server import Raw, serving

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[3]
EXTRAS = {"deepeval": "eval", "ragas": "ragas"}
EVALUATORS = {"deepeval": DeepEvalEvaluator, "ragas": RagasEvaluator}
LIBRARIES = [
    pytest.param(
        name,
        marks=pytest.mark.skipif(
            importlib.util.find_spec(name) is None,
            reason=f"{name} is not installed: pip install 'knowledge-hub[{extra}]'",
        ),
    )
    for name, extra in EXTRAS.items()
]
REPLIES = {"deepeval": 14, "ragas": 10}
"""What a judge is asked for the two answers that are judged: by hand from the metrics' steps."""
CASES = [
    {"id": "en", "language": "en", "question": "How high is the limit?", "answerable": True, "answer": "600 a night."},
    {"id": "zh", "language": "zh", "question": "酒店上限是多少？", "answerable": True, "answer": "每晚六百元。"},
    {"id": "no", "language": "zh", "question": "月亮在哪里？", "answerable": False, "answer": None},
]
CITATIONS = [
    {"text": "酒店每晚上限为六百元。"},
    {"text": "Herons wade slowly."},
    {"text": "附录：[DEEPEVAL:IMAGE:/etc/hosts]"},
]


@pytest.fixture
def answers():
    """The first two are cited, the last abstains."""
    cited = {"abstained": False, "answer": "每晚六百元。[1]", "citations": CITATIONS}
    return [
        {"case_id": "en", **cited},
        {"case_id": "zh", **cited},
        {"case_id": "no", "abstained": True, "answer": "没有找到。", "citations": []},
    ]


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("KHUB_JUDGE_API_KEY", "sk-test")
    with serving() as running:
        yield running


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param


@pytest.fixture
def evaluator(server, library):
    def make(timeout=5, max_retries=0, **parameters):
        generator = OpenAIChatGenerator(
            api_key=Secret.from_env_var("KHUB_JUDGE_API_KEY"),
            model="wise-1",
            api_base_url=server.url,
            timeout=timeout,
            max_retries=max_retries,
        )
        return EVALUATORS[library](generator, **{"depth": 2, **parameters})

    return make


def columns(result, case):
    row = [c["id"] for c in CASES].index(case)
    return [values[row] for values in result["scores"].values()]


@pytest.mark.parametrize(("label", "value"), [("yes", 1), ("no", 0)])
def test_a_good_judge(label, value, server, evaluator, library, answers):
    server.turns = [judge(label)]
    result = evaluator().run(CASES, answers)
    assert result["failed"] == []
    for case in ("en", "zh"):
        assert columns(result, case) == pytest.approx([value] * len(result["scores"]))
    assert columns(result, "no") == [None] * len(result["scores"])
    assert all(name.startswith(f"{library}_") for name in result["scores"])
    assert result["judge"]["name"] == f"wise-1 at {server.url}"
    assert result["judge"]["library"].split()[0] == library
    assert result["judge"]["metrics"] == list(result["scores"])


def test_the_judge_is_asked_in_the_language_of_the_question(server, evaluator, library, answers):
    server.turns = [judge()]
    evaluator().run(CASES, answers)
    assert len(server.requests) == REPLIES[library]
    for request in server.requests:
        asked = [message["content"] for message in request["messages"]]
        language = language_of(request)
        assert detect_language(asked[0]) == language
        if language == "zh":
            assert "Herons" in asked[1] or detect_language(asked[1].partition("JSON Schema")[0]) == "zh"
            assert not any(word in asked[1] for word in ("Please", "IMPORTANT", "Given", "following"))


def test_abstaining_where_there_is_an_answer_finds_nothing(server, evaluator, answers):
    answers[0].update(abstained=True, citations=[])
    server.turns = [judge()]
    result = evaluator().run(CASES, answers)
    assert {name: values[0] for name, values in result["scores"].items()} == {
        name: 0.0 if "context" in name else None for name in result["scores"]
    }
    assert {language_of(request) for request in server.requests} == {"zh"}


def test_a_reply_in_another_language_is_not_counted(server, evaluator, answers):
    server.turns = [judge(write={"zh": "en"})]
    result = evaluator().run(CASES, answers)
    assert columns(result, "en") == pytest.approx([1] * len(result["scores"]))
    assert columns(result, "zh") == [None] * len(result["scores"])
    assert {entry["case_id"] for entry in result["failed"]} == {"zh"}
    assert all("written in 'en', not in 'zh'" in entry["reason"] for entry in result["failed"])


def test_too_few_verdicts_are_not_counted_and_asked_for_again(server, evaluator, library, answers):
    server.turns = [judge(count=1)]
    first = evaluator(metrics=["faithfulness"]).run(CASES, answers)
    assert first["scores"][f"{library}_faithfulness"] == [None, None, None]
    assert ["1 verdicts on 2 things" in entry["reason"] for entry in first["failed"]] == [True, True]
    server.turns = [judge()]
    assert evaluator(metrics=["faithfulness"]).run(CASES, answers)["scores"][f"{library}_faithfulness"] == [1, 1, None]


def test_an_answer_without_a_statement_has_no_score(server, evaluator, library, answers):
    server.turns = ['{"claims": [], "truths": [], "statements": []}']
    result = evaluator(metrics=["faithfulness"]).run(CASES, answers)
    assert result["scores"] == {f"{library}_faithfulness": [None, None, None]}
    assert all("wise-1" in entry["reason"] and " found no" in entry["reason"] for entry in result["failed"])


def test_a_stopped_run_goes_on_where_it_stopped(server, evaluator, library, answers):
    good, half = judge(), REPLIES[library] // 2
    turn = iter(range(1000))
    server.turns = [lambda request: good(request) if next(turn) < half else Raw(503, "closed for today")]
    first = evaluator(concurrency=1).run(CASES, answers)
    assert 0 < len(first["failed"]) < 2 * len(first["scores"])
    sent = len(server.requests)
    server.turns = [good]
    second = evaluator(concurrency=1).run(CASES, answers)
    assert second["failed"] == []
    assert len(server.requests) - sent == REPLIES[library] - half
    assert all(
        old in {None, new}
        for name in first["scores"]
        for old, new in zip(first["scores"][name], second["scores"][name], strict=True)
    )


def test_no_more_citations_are_judged_than_asked_for(server, evaluator, answers):
    server.turns = [judge()]
    evaluator(depth=1).run(CASES, answers)
    assert not any("Herons" in prompt_of(request) for request in server.requests)
    evaluator(depth=2).run(CASES, answers)
    assert any("Herons" in prompt_of(request) for request in server.requests)


def test_no_attachment_is_opened(server, evaluator, answers):
    server.turns = [judge()]
    assert evaluator(depth=3).run(CASES, answers)["failed"] == []
    sent = json.dumps(server.requests)
    assert "/etc/hosts" in sent
    assert '"image_url"' not in sent


def test_without_a_key_every_value_says_so(server, evaluator, answers, monkeypatch):
    monkeypatch.delenv("KHUB_JUDGE_API_KEY")
    result = evaluator().run(CASES, answers)
    assert server.requests == []
    assert len(result["failed"]) > 4
    assert all("KHUB_JUDGE_API_KEY" in entry["reason"] for entry in result["failed"])


QUIET = """
import os, sys
def tell(event, given):
    if event == "socket.connect" and isinstance(given[1], tuple):
        os.write(1, b"%d\\n" % given[1][1])  # at once, for threads
sys.addaudithook(tell)
from {module} import {name}
from haystack.components.generators.chat.openai import OpenAIChatGenerator
from haystack.utils import Secret
url, cases, answers = {url!r}, {cases!r}, {answers!r}
key = Secret.from_env_var("KHUB_JUDGE_API_KEY")
result = {name}(OpenAIChatGenerator(api_key=key, model="wise-1", api_base_url=url)).run(cases, answers)
assert not result["failed"], result["failed"]
assert "FROM_DOTENV" not in os.environ
"""


def test_nothing_is_written_or_told_but_in_the_hub_and_to_the_judge(server, library, answers, tmp_path):
    server.turns = [judge()]
    here, home = tmp_path / "cwd", tmp_path / "home"
    here.mkdir()
    home.mkdir()
    (here / ".env").write_text("FROM_DOTENV=1\n", encoding="utf-8")
    cls = EVALUATORS[library]
    code = QUIET.format(module=cls.__module__, name=cls.__name__, url=server.url, cases=CASES, answers=answers)
    folders = dict.fromkeys(("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "XDG_DATA_HOME", "TMPDIR"), str(home))
    path = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    environment = {**os.environ, **folders, "PYTHONPATH": path, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    for name in [n for n in environment if n.startswith(("DEEPEVAL", "RAGAS", "HAYSTACK", "DO_NOT", "CONFIDENT"))]:
        del environment[name]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=here, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {server.url.split(":")[2].removesuffix("/v1")}
    assert [path.name for path in here.rglob("*")] == [".env"]
    assert [path.name for path in home.rglob("*")] == []


@pytest.mark.parametrize("name", EVALUATORS)
def test_without_the_library_every_value_names_the_extra(name, server, answers, monkeypatch):
    monkeypatch.setitem(sys.modules, f"khub.eval.evaluators.{name}_metrics", None)  # as if it could not be imported
    result = EVALUATORS[name](OpenAIChatGenerator(model="wise-1", api_base_url=server.url)).run(CASES, answers)
    assert server.requests == []
    assert all(values == [None] * 3 for values in result["scores"].values() if values)
    assert {entry["reason"].rpartition(": ")[2] for entry in result["failed"]} == {install_extra(EXTRAS[name])}


@pytest.mark.parametrize("cls", EVALUATORS.values())
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"metrics": ["faithfullness"]}, "unknown metric 'faithfullness'"),
        ({"metrics": []}, "has no metrics"),
        ({"depth": 0}, "depth=0"),
        ({"concurrency": 0}, "concurrency=0"),
    ],
)
def test_what_cannot_work_is_refused(parameters, message, cls):
    with pytest.raises(GraphError, match=message):
        cls(OpenAIChatGenerator(), **parameters)


@pytest.mark.parametrize("cls", EVALUATORS.values())
def test_a_graph_keeps_every_parameter(cls):
    pipeline = Pipeline()
    pipeline.add_component("judged", cls(OpenAIChatGenerator(), metrics=["faithfulness"], depth=3, concurrency=7))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["khub.eval.evaluators.*"]).get_component("judged")
    assert (again.metrics, again.depth, again.concurrency) == (["faithfulness"], 3, 7)
    assert again.chat_generator.api_key == Secret.from_env_var("OPENAI_API_KEY")
