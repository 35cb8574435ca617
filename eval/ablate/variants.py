"""The graphs that are compared: the one in question, and those that differ from it in one thing each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from khub.components.errors import GraphError, OptionError, StageError
from khub.components.home import hub_home
from khub.components.text.nearest_name import nearest
from khub.eval.ablate.taking_out import take_out
from khub.eval.retrieve.ranking import BEFORE_ANSWER, Ranking, load_ranking
from khub.eval.retrieve.run import ingest_graph
from khub.eval.run.files import write_file
from khub.eval.run.fingerprints import digest
from khub.eval.sweep.parameter_path import Setting, read_settings
from khub.eval.sweep.variants import AS_IT_STANDS, make_variants
from khub.server.graphs.load import Graph, load_graph, written_out
from khub.server.graphs.problem import listing

LEGS = ("dense", "sparse")
AGAIN = f"{AS_IT_STANDS}, again"
"""A second copy of the graph: what it differs by is no change at all, and so is as much in any other row."""


@dataclass(frozen=True)
class Changes:
    """What is changed, one thing at a time.

    :param without: stages that are taken out; `a,b` takes both out at once.
    :param settings: `COMPONENT.PARAMETER=VALUE,…`: one graph for each value.
    :param against: other graphs, as they are.
    :param legs: legs that are asked alone.
    """

    without: Sequence[str] = ()
    settings: Sequence[str] = ()
    against: Sequence[str] = ()
    legs: Sequence[str] = ()

    def or_every_stage(self, ranking: Ranking) -> "Changes":
        """Return these; where there is none, every stage is taken out, and every leg is asked alone."""
        if self.without or self.settings or self.against or self.legs:
            return self
        stages = [name for name, _ in ranking.graph.pipeline.walk()]
        return Changes(without=stages, legs=LEGS if "legs" in ranking.graph.inputs else ())


@dataclass(frozen=True)
class Variant:
    """A graph that is measured.

    :param label: what is changed; names it in the report.
    :param maker: the graph that fills what it reads.
    :param legs: those that are asked; None for all.
    :param remarks: what a reader of its figures has to know.
    """

    label: str
    ranking: Ranking
    maker: Graph
    legs: list[str] | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refused:
    """A change that cannot be made, and why."""

    label: str
    reason: str


def make_ablations(name: str, changes: Changes, ingest: str | None) -> list[Variant | Refused]:
    """Return the graph as it stands, a second copy of it, then each change of it, in the order of `Changes`.

    :param name: of the query graph.
    :param ingest: graph that makes the collections; None for the one that fits.
    :raises KhubError: naming the graph, the stage or the setting that is not there.
    """
    ranking = load_ranking(name)
    base = Variant(AS_IT_STANDS, ranking, ingest_graph(ranking, ingest))
    wanted = changes.or_every_stage(ranking)
    if wanted.legs:
        ranking.check_legs()
    made = [
        base,
        _written(base, AGAIN, written_out(ranking.graph.path), ()),
        *(_without(base, stages) for stages in dict.fromkeys(wanted.without)),
        *(variant for setting in _settings(wanted.settings) for variant in _with_values(base, setting, ingest)),
        *(_other(base, other, ingest) for other in dict.fromkeys(wanted.against)),
        *(replace(base, label=f"{leg} alone", legs=[leg]) for leg in dict.fromkeys(wanted.legs)),
    ]
    labels = [one.label for one in made]
    if twice := [label for label in labels if labels.count(label) > 1]:
        raise OptionError(f"two rows would be called {twice[0]!r}", "name each change once")
    return made


def _without(base: Variant, stages: str) -> Variant | Refused:
    label, names = f"without {stages}", [stage.strip() for stage in stages.split(",")]
    known = [name for name, _ in base.ranking.graph.pipeline.walk()]
    for name in names:
        if name not in known:
            graph = base.ranking.name
            raise StageError(f"graph {graph!r} has no stage {name!r}", nearest(name, known, f"it has {listing(known)}"))
    try:
        text, remarks = take_out(base.ranking.graph, names)
    except GraphError as error:
        return Refused(label, error.message)
    return _written(base, label, text, remarks)


def _written(base: Variant, label: str, text: str, remarks: Sequence[str]) -> Variant:
    file = hub_home() / "eval" / "graphs" / digest([label, text]) / base.ranking.graph.path.name
    write_file(file, text)
    return _variant(base, label, str(file), base.maker, remarks)


def _settings(texts: Sequence[str]) -> list[Setting]:
    return [Setting(one.path, (value,)) for one in (read_settings(texts) if texts else ()) for value in one.values]


def _with_values(base: Variant, setting: Setting, ingest: str | None) -> list[Variant | Refused]:
    folder = hub_home() / "eval" / "graphs"
    own, *others = make_variants(base.ranking.graph, load_graph(ingest) if ingest else None, [setting], folder)
    if not others:
        return [Refused(own.label, "it has this value as it stands")]
    return [_variant(base, other.label, str(other.query.path), other.ingest, ()) for other in others]


def _other(base: Variant, name: str, ingest: str | None) -> Variant:
    ranking = load_ranking(name)
    return _variant(base, f"against {name}", name, ingest_graph(ranking, ingest), ())


def _variant(base: Variant, label: str, graph: str, maker: Graph, remarks: Sequence[str]) -> Variant:
    ranking = replace(load_ranking(graph), name=label)
    other_source = ranking.source != base.ranking.source
    here = "passages that reach the answer" if ranking.source == BEFORE_ANSWER else "citations of the answer"
    more = [f"its ranking is that of the {here}, unlike the graph's as it stands"] if other_source else []
    more += [f"its collection is filled by {maker.name}"] if maker.name != base.maker.name else []
    return Variant(label, ranking, maker, None, (*remarks, *more))
