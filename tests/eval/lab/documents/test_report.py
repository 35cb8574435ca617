import pytest

from khub.eval.lab.documents.report import each, layouts, markdown_table, structure_report, summary, table_kinds

pytestmark = pytest.mark.unit


def row(engine="khub", renderer="chromium", language="en", columns=1, headings=0.5, order=0.9, tables=(), found=1):
    return {
        "name": "d", "engine": engine, "renderer": renderer, "language": language, "columns": columns, "pages": 2,
        "seconds": 0.1, "error": "", "headings": headings, "order": order, "notes": 2, "notes_found": 1,
        "tables_found": found,
        "tables": [
            {"similarity": similarity, "ruled": ruling == "grid", "ruling": ruling, "kind": kind}
            for similarity, ruling, kind in tables
        ],
    }  # fmt: skip


ROWS = [
    row(tables=[(1.0, "grid", "plain"), (0.25, "none", "long")], found=3),
    row(headings=1.0, order=0.7, language="zh", columns=2, tables=[(0.0, "grid", "plain")], found=0),
]


def test_means_are_over_documents_and_over_tables():
    everything = summary(ROWS)[-1]
    assert everything == {
        "program": "all", "language": "all", "engine": "khub", "documents": 2, "headings": 0.75, "ruled": 0.5,
        "unruled": 0.25, "precision": 0.417, "order": 0.8, "notes": 0.5, "failed": 0,
    }  # fmt: skip


def test_languages_and_programs_stand_apart():
    made = summary([*ROWS, row(renderer="libreoffice", headings=0.0)])
    found = {(one["program"], one["language"]): one["headings"] for one in made}
    assert found == {
        ("chromium", "en"): 0.5, ("chromium", "zh"): 1.0, ("chromium", "all"): 0.75, ("libreoffice", "en"): 0.0,
        ("libreoffice", "all"): 0.0, ("all", "en"): 0.25, ("all", "zh"): 1.0, ("all", "all"): 0.5,
    }  # fmt: skip


def test_tables_by_kind_and_lines():
    made = table_kinds([*ROWS, row(engine="markitdown", tables=[(0.25, "grid", "plain")])])
    assert made == [
        {"table": "long", "lines": "none", "tables": 1, "khub": 0.25, "markitdown": None},
        {"table": "plain", "lines": "grid", "tables": 2, "khub": 0.5, "markitdown": 0.25},
    ]


def test_layouts_stand_apart():
    assert [(one["layout"], one["headings"]) for one in layouts(ROWS)] == [("one column", 0.5), ("two columns", 1.0)]


def test_each_document():
    assert each(ROWS)[0]["found"] == "3 of 2"
    assert each(ROWS)[0]["tables"] == 0.625


def test_tables_are_markdown():
    assert markdown_table([{"a": "x", "b": 1234, "c": 0.5, "d": None}]) == (
        "| a | b | c | d |\n| --- | ---: | ---: | --- |\n| x | 1,234 | 0.500 | – |"
    )
    assert "TEDS" in structure_report(ROWS)
