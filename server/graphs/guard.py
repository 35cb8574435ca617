"""Guard the stages of a graph as `metadata.guard` says: `{timeout_s: 5, stages: {expand: 15, join: null}}`.

`max_hung` bounds the calls of a stage that may hang (see `Guard`).
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_origin

import networkx
from haystack import Pipeline

from khub.components.guard import Guard
from khub.components.question import Leg
from khub.components.text.nearest_name import nearest
from khub.server.graphs.problem import Problem
from khub.server.graphs.yaml_lines import YamlText

FORM = "write guard: {timeout_s: 5}, with stages: {STAGE: SECONDS or null} for exceptions"
PARAMETERS = {"timeout_s", "stages", "max_hung"}
DEGRADED = "degraded"


def check_guard(text: YamlText) -> Iterator[Problem]:
    """Find what is wrong with the policy."""
    metadata = text.data.get("metadata")
    policy = metadata.get("guard") if isinstance(metadata, dict) else None
    if policy is None:
        return
    line = text.line("metadata", "guard")
    if not isinstance(policy, dict) or set(policy) - PARAMETERS or not _seconds(policy.get("timeout_s")):
        yield Problem(line, None, f"metadata.guard is {policy!r}", FORM)
        return
    hung = policy.get("max_hung", 1)
    if not isinstance(hung, int) or isinstance(hung, bool) or hung < 1:
        yield Problem(
            text.line("metadata", "guard", "max_hung"), None, f"metadata.guard has max_hung {hung!r}", "give 1 or more"
        )
    stages, known = policy.get("stages") or {}, text.data["components"]
    if not isinstance(stages, dict):
        line = text.line("metadata", "guard", "stages")
        yield Problem(line, None, f"metadata.guard.stages is {stages!r}", FORM)
        return
    for name, seconds in stages.items():
        line = text.line("metadata", "guard", "stages", str(name))
        if name not in known:
            message = f"metadata.guard names the unknown stage '{name}'"
            yield Problem(line, None, message, nearest(str(name), known, FORM))
        elif seconds is not None and not _seconds(seconds):
            yield Problem(line, str(name), f"metadata.guard gives it {seconds!r}", "give seconds above 0, or null")


def guarded(pipeline: Pipeline, policy: Mapping[str, Any] | None) -> Pipeline:
    """Put a guard around each stage for which something can stand in.

    Something can where an output has an input of the same name, is a list or a `Leg`. What only joins others is left
    alone: it does nothing that could hang.

    :param pipeline: the components, not connected yet; they are taken out of it.
    :param policy: `metadata.guard`, without which nothing is guarded.
    """
    if not policy:
        return pipeline
    limits, hung = policy.get("stages") or {}, policy.get("max_hung", 2)
    fresh = Pipeline(metadata=pipeline.metadata)
    for name, _ in list(pipeline.walk()):
        instance = pipeline.remove_component(name)
        limit = limits.get(name, policy["timeout_s"])
        fresh.add_component(name, Guard(instance, name, limit, hung) if limit and _replaceable(instance) else instance)
    return fresh


def collect_degraded(pipeline: Pipeline) -> None:
    """Connect what stages say of their failures to the components behind them that take it."""
    takers = [name for name, about in pipeline.inputs(True).items() if DEGRADED in about]
    for name, about in pipeline.outputs(True).items():
        behind = networkx.descendants(pipeline.graph, name)
        for taker in takers if DEGRADED in about else ():
            if taker in behind:
                pipeline.connect(f"{name}.{DEGRADED}", f"{taker}.{DEGRADED}")


def _replaceable(instance: Any) -> bool:
    inputs = instance.__haystack_input__._sockets_dict
    outputs = {n: s for n, s in instance.__haystack_output__._sockets_dict.items() if n != DEGRADED}
    if any(name in inputs and inputs[name].is_variadic for name in outputs):
        return False
    return any(n in inputs or s.type is Leg or list in (s.type, get_origin(s.type)) for n, s in outputs.items())


def _seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0
