"""A sweep from settings to report: make the variants, measure them, compare each with the graph as it stands."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from khub.components.errors import GraphKindError, OptionError
from khub.components.home import hub_home
from khub.components.text.nearest_name import nearest
from khub.eval.run.comparison import columns_of, compare
from khub.eval.run.evaluation import Plan, Shown, evaluate
from khub.eval.run.fingerprints import digest, graph_hash
from khub.eval.run.golden_set import GoldenSet
from khub.eval.run.metrics import in_order, is_known, metric
from khub.eval.run.run_report import RunReport
from khub.eval.sweep.parameter_path import Setting
from khub.eval.sweep.sweep_report import SweepReport
from khub.eval.sweep.sweep_row import SweepRow
from khub.eval.sweep.variants import AS_IT_STANDS, Variant, make_variants
from khub.server.commands.progress import Report
from khub.server.graphs.load import Graph, load_graph

LEVEL = 0.05


@dataclass(frozen=True)
class SweepPlan:
    """What is to be tried.

    :param settings: parameters and their values; every combination is tried.
    :param graph: name of the query graph.
    :param ingest: name of the ingest graph; None for the one that fits.
    :param sets: golden sets.
    :param documents: the folder that they were written from.
    :param metric: what the winner is best at.
    :param top_k: citations asked for.
    """

    settings: Sequence[Setting]
    graph: str
    ingest: str | None
    sets: Sequence[GoldenSet]
    documents: Path
    metric: str = "ndcg@10"
    top_k: int = 10


def sweep(plan: SweepPlan, resume: bool, shown: Shown) -> SweepReport:
    """Measure every variant on the same questions.

    Variants that read the same collection are measured in one run, which asks them by turns, so that their latencies
    can be compared; what a stopped sweep has measured is not measured again.

    :param resume: False to measure all anew.
    :param shown: shows progress.
    :returns: the report; `rows` has one entry for the graph as it stands, then one for each variant, and `winner` is
        the label of the row with the best mean (the graph as it stands, where nothing is better).
    :raises KhubError: naming the parameter, value, metric or set that is wrong; before any work where possible.
    """
    if not is_known(plan.metric):
        raise OptionError(f"unknown metric {plan.metric!r}", "name one such as ndcg@10, mrr@10, hit@5, page_accuracy")
    query, ingest = _graph(plan.graph, "query"), _graph(plan.ingest, "ingest") if plan.ingest else None
    variants = make_variants(query, ingest, plan.settings, hub_home() / "eval" / "sweeps" / "graphs")
    measured = _measured(plan, variants, resume, shown)
    rows = [_row(variant, measured[variant.key], measured[variants[0].key], plan) for variant in variants]
    _add_corrected(rows[1:])
    first = measured[variants[0].key][0]
    values = {setting.path: list(setting.values) for setting in plan.settings}
    winner = _winner(rows, plan.metric)
    return {
        "sets": first["sets"],
        "documents": first["documents"],
        "evaluation": first["evaluation"],
        "top_k": first["top_k"],
        "versions": first["versions"],
        "machine": first["machine"],
        "graph": query.name,
        "ingest": variants[0].ingest.name,
        "settings": values,
        "metric": plan.metric,
        "rows": rows,
        "winner": winner["label"],
    }


def sweep_folder(plan: SweepPlan) -> Path:
    """Return where the report of a sweep goes where nothing else is said."""
    values = [[setting.path, list(setting.values)] for setting in plan.settings]
    key = digest([values, plan.graph, plan.ingest, [one.name for one in plan.sets], plan.metric, plan.top_k])
    return hub_home() / "eval" / "sweeps" / key


def _graph(name: str, kind: str) -> Graph:
    graph = load_graph(name)
    if graph.kind != kind:
        raise GraphKindError(
            f"graph {name!r} is of kind {graph.kind!r}", f"name a graph of kind {kind!r} by --{_option(kind)}"
        )
    return graph


def _option(kind: str) -> str:
    return "graph" if kind == "query" else kind


Measured = tuple[RunReport, str]
"""The report of a run, and the name of the graph in it."""


def _measured(
    plan: SweepPlan, variants: Sequence[Variant], resume: bool, shown: Shown
) -> dict[tuple[str, str], Measured]:
    groups: dict[str, list[Variant]] = {}
    for variant in variants:
        groups.setdefault(graph_hash(variant.ingest), []).append(variant)
    found: dict[tuple[str, str], Measured] = {}
    for members in groups.values():
        names = [variant.query.name for variant in members]
        labels = {variant.query.name: variant.label for variant in members}
        _, report = evaluate(
            Plan(plan.sets, plan.documents, names, members[0].ingest.name, None, (), plan.top_k),
            resume,
            _with_labels(shown, labels),
        )
        found |= {variant.key: (report, variant.query.name) for variant in members}
    return found


def _with_labels(shown: Shown, labels: dict[str, str]) -> Shown:
    """Show progress by the labels of variants, in place of the names of their files."""

    def relabelled(what: str, unit: str) -> AbstractContextManager[Report]:
        verb, _, rest = what.partition(" ")
        if verb == "ask":
            return shown(f"ask {len(labels)} variants", unit)
        return shown(f"{verb} {labels.get(rest, rest)}", unit)

    return relabelled


def _row(variant: Variant, own: Measured, base: Measured, plan: SweepPlan) -> SweepRow:
    report, name = own
    graph = report["graphs"][name]
    if plan.metric not in graph["metrics"]:
        known = in_order(graph["metrics"])
        raise OptionError(
            f"no evaluator gives {plan.metric!r}", nearest(plan.metric, known, f"use one of {', '.join(known)}")
        )
    cases = [case for one in plan.sets for case in one.cases]
    columns = [columns_of(r["case_ids"], r["graphs"][n]["scores"]) for r, n in (base, own)]
    compared = compare(cases, (AS_IT_STANDS, variant.label), columns[0], columns[1])["rows"]
    return {
        "label": variant.label,
        "values": variant.values,
        "graph": str(variant.query.path),
        "ingest": str(variant.ingest.path),
        "run_id": report["run_id"],
        "figures": {name: table["all"] for name, table in graph["metrics"].items()},
        "latency": graph["latency"],
        "compared": {row["metric"]: row for row in compared if row["group"] == "all"} if variant.values else {},
    }


def _add_corrected(rows: Sequence[SweepRow]) -> None:
    """Add `p_corrected` to each comparison: of many variants, some are ahead by chance.

    By Holm (1979), A simple sequentially rejective multiple test procedure; for each metric over all variants.
    """
    for name in {name for row in rows for name in row["compared"]}:
        members = sorted((row["compared"][name] for row in rows if name in row["compared"]), key=lambda c: c["p"])
        least = 0.0
        for rank, compared in enumerate(members):
            least = max(least, min(1.0, compared["p"] * (len(members) - rank)))
            compared["p_corrected"] = round(least, 6)


def _winner(rows: Sequence[SweepRow], name: str) -> SweepRow:
    """Return the row with the best mean; of equal ones the first, and the graph as it stands before all others."""
    sign = 1 if metric(name).higher_is_better else -1

    def value(row: SweepRow) -> float:
        mean = row["figures"][name]["mean"]
        return float("-inf") if mean is None else sign * mean

    return max(rows, key=value)
