"""`khub eval add`: from a question that was asked to a case that a run can use."""

import pytest
import typer
from haystack import tracing
from typer.testing import CliRunner

from khub.components.errors import CollectionError, KhubError
from khub.components.home import hub_home
from khub.eval.cases import read_cases
from khub.eval.commands.add import add_case
from khub.eval.synth.trace_case import best_line, read_asked
from khub.server.library.ingest import ingest
from khub.server.questions.ask import ask
from khub.server.traces.feedback import give_feedback

pytestmark = pytest.mark.integration


@pytest.fixture
def documents(tmp_path):
    folder = tmp_path / "documents"
    (folder / "rivers").mkdir(parents=True)
    (folder / "birds.md").write_text(
        "# Birds\n\nHerons wade slowly in shallow water. They eat fish.\n", encoding="utf-8"
    )
    (folder / "rivers" / "fish.txt").write_text("Trout swim upstream in cold rivers.\n", encoding="utf-8")
    ingest([str(folder)], "animals", "ingest_fast")
    return folder


@pytest.fixture(autouse=True)
def _own_tracer(monkeypatch):
    """Questions are traced, whatever tests before have left behind in this process."""
    monkeypatch.delenv("KHUB_TRACE", raising=False)
    before = tracing.tracer.actual_tracer
    tracing.disable_tracing()
    yield
    tracing.enable_tracing(before)


@pytest.fixture
def khub(documents):
    app = typer.Typer()
    app.command()(add_case)

    def run(*words, inside=True):
        more = ["--documents", documents] if inside else []
        return CliRunner().invoke(app, [str(word) for word in [*words, *more]])

    return run


@pytest.fixture
def asked(documents):
    def make(question="Where do herons wade?"):
        return ask(question, "animals", "query").trace_id

    return make


def the_cases(file=None):
    return read_cases(file or hub_home() / "eval" / "golden.jsonl")


def test_without_a_word_of_a_person_nothing_is_added(khub, asked):
    done = khub(asked()[:8])
    assert done.exit_code == 0
    assert "Where do herons wade?" in done.output
    assert "1  " in done.output
    assert "Herons wade slowly" in done.output
    assert "nothing is added yet" in done.output
    assert not (hub_home() / "eval").exists()


def test_a_citation_becomes_the_place(khub, asked):
    done = khub(asked(), "--place", "1", "--answer", "in shallow water", "--kind", "paraphrase")
    assert done.exit_code == 0, done.output
    [case] = the_cases()
    assert (case.question, case.answer, case.kind, case.language) == (
        "Where do herons wade?", "in shallow water", "paraphrase", "en",
    )  # fmt: skip
    [place] = case.relevant
    assert (place.source, place.page, place.grade) == ("birds.md", None, 2)
    assert place.evidence == "Herons wade slowly in shallow water."


def test_other_places_and_quotes_are_the_persons_own(khub, asked):
    trace = asked()
    done = khub(trace, "--place", "1=shallow water", "--helps", "rivers/fish.txt=in cold rivers")
    assert done.exit_code == 0, done.output
    [case] = the_cases()
    assert [(p.source, p.evidence, p.grade) for p in case.relevant] == [
        ("birds.md", "shallow water", 2),
        ("rivers/fish.txt", "in cold rivers", 1),
    ]


def test_what_cannot_be_answered(khub, asked, tmp_path):
    trace = asked("zzyzx qwfpgj vmkjh?")
    assert khub(trace, "--unanswerable", "--set", tmp_path / "none.jsonl").exit_code == 0
    [case] = the_cases(tmp_path / "none.jsonl")
    assert (case.answerable, case.kind, case.relevant) == (False, "unanswerable", ())
    assert khub(trace, "--unanswerable", "--place", "1").exit_code == 2
    assert khub(trace, "--helps", "1").exit_code == 2


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        (["--place", "9"], KhubError, "has no citation 9"),
        (["--place", "1=in deep water"], KhubError, "'in deep water' does not stand in citation 1"),
        (["--place", "rivers/fish.txt"], KhubError, "has no quote"),
        (["--place", "rivers/fish.txt#7=cold rivers"], KhubError, "does not stand in rivers/fish.txt#7"),
        (["--place", "nowhere.md=x"], CollectionError, "no document"),
        (["--place", "1", "--kind", "facts"], KhubError, "kind is"),
    ],
)
def test_mistakes_add_nothing(khub, asked, words, kind, said):
    done = khub(asked(), *words)
    assert isinstance(done.exception, kind)
    assert said in str(done.exception)
    assert not (hub_home() / "eval").exists()


def test_a_question_is_added_once(khub, asked):
    assert khub(asked(), "--place", "1").exit_code == 0
    again = khub(asked(), "--place", "1")
    assert "has this question already" in str(again.exception)
    assert len(the_cases()) == 1


def test_a_document_outside_of_the_folder_is_refused(khub, asked):
    assert "--documents" in str(khub(asked(), "--place", "1", inside=False).exception)


def test_traces_that_cannot_become_cases(khub, documents, asked, monkeypatch):
    unknown = khub("abc").exception
    assert (unknown.code, "'abc'" in str(unknown)) == ("trace_unknown", True)
    monkeypatch.setenv("KHUB_TRACE", "minimal")
    assert "KHUB_TRACE=standard" in str(khub(asked(), "--place", "1").exception)
    monkeypatch.delenv("KHUB_TRACE")
    assert "KHUB_TRACE=standard" in str(khub(asked("herons " * 90), "--place", "1").exception)
    trace = asked()
    (documents / "birds.md").write_text("# Birds\n\nAll is new.\n", encoding="utf-8")
    ingest([str(documents)], "animals", "ingest_fast")
    assert "ask the question again" in str(khub(trace, "--place", "1").exception)


@pytest.mark.parametrize(
    ("answer", "line"),
    [(None, "酒店每晚上限为六百元。"), ("五十元", "餐补每天五十元。"), ("1.2 m/s", "Speed | 1.2 m/s")],
)
def test_the_best_line_holds_the_answer(answer, line):
    text = "差旅规定如下。酒店每晚上限为六百元。餐补每天五十元。\n| Speed | 1.2 m/s |\n"
    assert best_line(text, "酒店每晚上限是多少？", answer) == line


def test_a_heading_proves_nothing():
    text = "## 酒店每晚上限\n标准为六百元。\n"
    assert best_line(text, "酒店每晚上限是多少？", None) == "标准为六百元。"
    assert best_line("## 酒店每晚上限\n", "酒店每晚上限是多少？", None) == "## 酒店每晚上限"


def test_what_feedback_called_right_is_the_place(khub, asked):
    trace_id = asked()
    cited = read_asked(trace_id).cited[0]
    give_feedback(trace_id, cited.chunk_id, right=True)
    done = khub(trace_id)
    assert done.exit_code == 0, done.output
    [case] = the_cases()
    assert [(place.source, place.page) for place in case.relevant] == [("birds.md", None)]


def test_what_feedback_called_wrong_is_none(khub, asked):
    trace_id = asked()
    cited = read_asked(trace_id).cited[0]
    give_feedback(trace_id, cited.chunk_id, right=True)
    give_feedback(trace_id, cited.chunk_id, right=False)
    assert "nothing is added yet" in khub(trace_id).output
