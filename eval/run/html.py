"""`report.html`: one file with everything in it, that also prints well."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from khub.eval.run import plots, tables
from khub.eval.run.history_line import HistoryLine
from khub.eval.run.markdown import COMPARISON_NOTE, NOTE
from khub.eval.run.run_report import RunReport

TEMPLATE = "report.html.j2"


def html(report: RunReport, history: Sequence[HistoryLine]) -> str:
    """Return the page; whatever comes from documents, questions and graphs is escaped."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    graphs = report["graphs"]
    sets = {one["name"]: one["cases"] for one in report["sets"]}
    return environment.get_template(TEMPLATE).render(
        report=report,
        tables=tables,
        note=NOTE,
        comparison_note=COMPARISON_NOTE,
        groups=["language", "kind", *(["set"] if len(sets) > 1 else [])],
        means=Markup(plots.means(graphs)),
        latencies=Markup(plots.latencies(graphs)),
        grouped=[
            (
                group,
                [(name, Markup(plots.groups(graphs, group, name))) for name in plots.grouped_metrics(graphs, group)],
            )
            for group in ("language", "kind")
        ],
        over_time=[(name, Markup(drawn)) for name in graphs if (drawn := plots.over_time(history, name, sets))],
    )
