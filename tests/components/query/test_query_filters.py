"""What is typed as a filter excludes, what a question only names is preferred."""

import pytest
from haystack import Document

from khub.components.answer import AppliedFilter, UnknownField
from khub.components.catalog.catalog import Catalog
from khub.components.catalog.chunks import NewDocument
from khub.components.catalog.documents import doc_id_of
from khub.components.errors import CollectionError, FilterError
from khub.components.query.query_filters import DROPPED, MAX_CHARACTERS, MAX_FILTERS, QueryFilters
from khub.components.query.short_filters import all_of, parse_short_filters
from khub.components.question import Question

pytestmark = pytest.mark.unit

DOCUMENTS = [  # source, title, language, modified, ingested, tags, page
    ("/files/reports/report-q3.xlsx", None, "en", "2026-10-05", "2026-05-01", ["finance"], None),
    ("/files/reports/acme.pdf", "Acme 2024 Annual Report", "en", "2025-02-10", "2026-05-01", ["finance"], 5),
    ("/files/guides/employee-handbook.pdf", "Employee Handbook", "en", "2026-03-12", "2026-05-01", ["HR"], 5),
    ("/files/hr/劳动合同.docx", "劳动合同", "zh", "2025-06-01", "2026-05-01", ["合同"], 1),
    ("/files/hr/员工手册.pdf", "员工手册", "zh", "2024-03-15", "2026-05-01", [], 5),
    ("/files/slides/onboarding.pptx", "Onboarding", "en", "2026-11-17", "2026-11-18", [], 7),
    ("/files/合同/采购合同2023.docx", "采购合同", "zh", "2023-05-05", "2026-05-01", ["合同"], 3),
    ("/files/财务/预算.xlsx", None, "zh", "2026-01-15", "2026-11-17", ["财务"], None),
    ("/files/config.yaml", None, "en", "2026-11-20", "2026-11-18", [], None),
    ("/files/大学/ruc.docx", "中国人民大学", "zh", "2025-01-01", "2026-05-01", [], 1),
    ("/files/大学/ruc-2023.pdf", "中国人民大学2023年报", "zh", "2024-04-01", "2026-05-01", [], 9),
]
TYPES = {"xlsx": "xlsx", "pdf": "pdf", "docx": "docx", "pptx": "pptx", "yaml": "code"}
ZH = {"field": "meta.language", "operator": "==", "value": "zh"}

# what begins with a name or says 中, 里 or in -> what is preferred
NAMED = {
    "中国人民大学的校长是谁": [("title", "中国人民大学")],
    "中国人民大学2023年报里净利润是多少": [("title", "中国人民大学2023年报"), ("year", "2023")],
    "在中国人民大学里有几个学院": [("title", "中国人民大学")],
    "中国石油大学在哪里": [],
    "年假在劳动合同中怎么规定": [("title", "劳动合同")],
    "PDF里的报销标准是多少": [("doc_type", "pdf")],
    "2023年的营收在财务文件夹里吗": [("year", "2023")],
    "2019年的营收在年报中吗": [],
    "最新的差旅制度里怎么说": [("newest", None)],
    "Acme 2024 Annual Report: what was the revenue?": [("title", "Acme 2024 Annual Report"), ("year", "2024")],
    "Acme in 2024, who was in charge?": [("year", "2024")],
    "Zenith in the annual report": [],
    "In the employee handbook, how long is parental leave?": [("title", "Employee Handbook")],
    "What is the total in report-q3.xlsx?": [("source", "report-q3.xlsx"), ("doc_type", "xlsx")],
    "What is in unknown-file.doc in the hr folder?": [("doc_type", "docx")],
    "what is in the latest travel policy": [("newest", None)],
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    catalog = Catalog(tmp_path_factory.mktemp("shelf"))
    catalog.collections.create("docs")
    for source, title, language, modified, ingested, tags, page in DOCUMENTS:
        extra = {"modified_at": f"{modified}T10:00:00.000+00:00", **({"tags": tags} if tags else {})}
        meta = {
            "doc_id": doc_id_of("docs", source), "source": source, "doc_type": TYPES[source.rpartition(".")[2]],
            "title": title, "section": "", "page": page, "pages": page and [page, page], "start": 0, "end": 4,
            "ordinal": 0, "language": language, "text_hash": source, **extra,
        }  # fmt: skip
        chunk = Document(id=meta["doc_id"], content="text", embedding=[0.0], meta=meta)
        new = NewDocument(meta["doc_id"], "docs", meta, extra, [chunk])
        catalog.chunks.stage(new, "staged")
        catalog.chunks.publish(new)
        with catalog.database.transaction() as connection:
            time_ = f"{ingested}T10:00:00.000+00:00"
            connection.execute("UPDATE documents SET ingested_at = ? WHERE source = ?", (time_, source))
    return catalog


@pytest.fixture
def ask(shelf, monkeypatch):
    monkeypatch.setenv("KHUB_HOME", str(shelf.home))

    def ask(text, filters=None, collection="docs"):
        return QueryFilters().run(question=Question(text, text, collection, filters))["question"]

    return ask


def texts(question):
    """Return the filters that a question typed and that hold."""
    return [one.text for one in question.applied_filters if one.from_ == "question" and not one.dropped]


def kept(shelf, question):
    ids = shelf.chunks.matching("docs", question.filters)
    return sorted(d.meta["source"].rpartition("/")[2] for d, _ in shelf.chunks.fetch("docs", ids).values())


@pytest.mark.parametrize("filters", [None, ZH], ids=["no filter", "the caller's"])
@pytest.mark.parametrize("text", NAMED)
def test_what_a_question_names_is_preferred_and_filters_nothing(ask, text, filters):
    question = ask(text, filters)
    assert [(one.kind, one.value) for one in question.preferences] == NAMED[text]
    assert (question.filters, question.text, texts(question)) == (filters, text, [])


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("type:pdf x", ["acme.pdf", "employee-handbook.pdf", "ruc-2023.pdf", "员工手册.pdf"]),
        ("x type:excel,ppt", ["onboarding.pptx", "report-q3.xlsx", "预算.xlsx"]),
        ("x path:hr", ["劳动合同.docx", "员工手册.pdf"]),
        ("x path:HR/*.pdf", ["员工手册.pdf"]),
        ("x 来源：config.yaml", ["config.yaml"]),
        ("x after:2026-11", ["config.yaml", "onboarding.pptx"]),
        ("x before:2024", ["采购合同2023.docx"]),
        ("x modified:2024-03..2024-04", ["ruc-2023.pdf", "员工手册.pdf"]),
        ("x ingested:2026-11-17", ["预算.xlsx"]),
        ("x lang:zh -type:docx", ["ruc-2023.pdf", "员工手册.pdf", "预算.xlsx"]),
        # what has no page, title or tag is kept
        ("x 页:6-9", ["config.yaml", "onboarding.pptx", "report-q3.xlsx", "ruc-2023.pdf", "预算.xlsx"]),
        ("x title:handbook type:pdf", ["employee-handbook.pdf"]),
        ("x title:handbook type:xlsx", ["report-q3.xlsx", "预算.xlsx"]),
        ("x tag:合同 type:docx,pptx", ["onboarding.pptx", "ruc.docx", "劳动合同.docx", "采购合同2023.docx"]),
        ("x -tag:合同 type:docx,pptx", ["onboarding.pptx", "ruc.docx"]),
    ],
)
def test_what_is_typed_as_a_filter_excludes_all_else(ask, shelf, text, files):
    question = ask(text)
    assert kept(shelf, question) == sorted(files)
    assert (question.text, question.asked) == ("x", text)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("what is the deadline tag:finance after:2025", "what is the deadline"),
        ("违约金是多少 path:合同/* lang:zh", "违约金是多少"),
        ("type:pdf", "type:pdf"),  # else nothing would be left to ask
        ("How does PDF parsing  work?", "How does PDF parsing  work?"),
    ],
)
def test_only_the_filter_leaves_the_question(ask, text, left):
    assert ask(text).text == left


@pytest.mark.parametrize(
    "text", ["what does type:ignore do", 'what does "type:pdf" mean', "“type:pdf”是什么意思", "access_level:secret x"]
)
def test_what_is_quoted_or_no_filter_is_words(ask, text):
    question = ask(text)
    assert (question.filters, question.applied_filters, question.text) == (None, [], text)


def test_the_callers_filter_holds_beside_the_typed_one(ask, shelf):
    question = ask("年假有几天 type:pdf", ZH)
    assert kept(shelf, question) == ["ruc-2023.pdf", "员工手册.pdf"]
    assert question.applied_filters == [
        AppliedFilter('language == "zh"', "caller", ""),
        AppliedFilter("type:pdf", "question", "type:pdf"),
    ]


def test_a_typed_filter_that_matches_nothing_is_told_and_filters_nothing(ask):
    question = ask("how long is the notice period type:pdf modified:2031")
    assert texts(question) == ["type:pdf"]
    assert question.filters == ask("x type:pdf").filters
    dropped = AppliedFilter("modified:2031", "question", "modified:2031", dropped=DROPPED)
    assert question.applied_filters[1] == dropped
    slides = {"field": "meta.doc_type", "operator": "==", "value": "pptx"}
    question = ask("notice period type:pdf", slides)
    assert (question.filters, texts(question)) == (slides, [])
    assert question.applied_filters[1].dropped


def test_a_callers_filter_that_matches_nothing_excludes_and_says_so(ask):
    nothing = {"field": "meta.title", "operator": "==", "value": "Nonsense"}

    question = ask("parental leave", filters=nothing)

    assert question.filters == nothing
    assert question.applied_filters[0].unmatched


def test_a_name_that_may_not_be_read_is_no_name(ask, monkeypatch):
    assert ask("员工手册里年假有几天").preferences
    monkeypatch.setenv("KHUB_ACCESS", "public")
    assert ask("员工手册里年假有几天").preferences == []


def test_access_level_is_not_for_callers(ask):
    with pytest.raises(FilterError, match="access_level"):
        ask("x", {"field": "meta.access_level", "operator": "==", "value": "secret"})


def test_unknown_collection_is_named(ask):
    with pytest.raises(CollectionError, match="nowhere"):
        ask("how long?", collection="nowhere")


def test_a_heap_of_filters_or_words_is_no_trouble(ask):
    assert len(ask("x " + " ".join(f"path:{n}" for n in range(100))).applied_filters) == MAX_FILTERS
    assert set(texts(ask("what? " + "type:pdf " * 90))) == {"type:pdf"}
    assert texts(ask("how long? type:pdf ".ljust(MAX_CHARACTERS, "x"))) == ["type:pdf"]
    too_long = ask("how long? type:pdf ".ljust(MAX_CHARACTERS + 1, "x"), ZH)
    assert (texts(too_long), too_long.filters, len(too_long.applied_filters)) == ([], ZH, 1)


def short(text):
    return all_of([one.condition for one in parse_short_filters(text)])


def equal(field, value="pdf"):
    return {"field": f"meta.{field}", "operator": "==", "value": value}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("type", "doc_type"),
        ("lang", "language"),
        ("file", "source"),
        ("标签", "tags"),
        ("langage", "language"),
        ("zq", None),
    ],
)
def test_a_field_that_no_document_has_is_said_with_what_was_meant(ask, name, meant):
    (entry,) = ask("x", equal(name)).applied_filters
    assert entry.unmatched
    assert entry.unknown_fields == [UnknownField(name, meant)]
    assert {"doc_type", "tags"} <= {*entry.fields}


@pytest.mark.parametrize(
    "filters",
    [
        equal("doc_type"), equal("tags", "finance"), equal("doc_type", "nothing"),
        {"operator": "NOT", "conditions": [ZH]}, short("after:2024"), {**equal("page", 5), "operator": ">="},
    ],
)  # fmt: skip
def test_a_field_that_is_known_is_not_told_of_whatever_matches(ask, filters):
    assert not ask("x", filters).applied_filters[0].unknown_fields


def test_unknown_fields_are_found_inside_and_where_they_exclude_nothing(ask):
    inside = {"operator": "AND", "conditions": [ZH, {"operator": "OR", "conditions": [equal("one"), equal("two")]}]}
    (entry,) = ask("x", inside).applied_filters
    assert [one.field for one in entry.unknown_fields] == ["one", "two"]
    (entry,) = ask("x", short("colour:red")).applied_filters
    assert not entry.unmatched
    assert [one.field for one in entry.unknown_fields] == ["colour"]


def test_fields_of_closed_documents_are_nobodys_to_learn(ask, shelf, monkeypatch):
    assert not ask("x", equal("tags", "HR")).applied_filters[0].unknown_fields
    monkeypatch.setenv("KHUB_ACCESS", "public")
    (entry,) = ask("x", equal("tags", "HR")).applied_filters
    assert entry.unknown_fields == [UnknownField("tags", None)]
    assert "tags" not in entry.fields
