"""`khub query`."""

import sys
from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from khub.server.commands.chat import chat
from khub.server.commands.options import AskedCollectionOption, JsonOption
from khub.server.commands.rendered_markdown import render_markdown
from khub.server.remote.chosen import chosen_service, refuse_options
from khub.server.terminal import tell, write_json, write_text

if TYPE_CHECKING:
    from khub.server.questions.explained_answer import ExplainedAnswer

LEGS = ("dense", "sparse")


def query(
    context: typer.Context,
    text: Annotated[
        str | None,
        typer.Argument(metavar="[TEXT]", help="The question; - reads it from standard input; none: khub chat."),
    ] = None,
    collection: AskedCollectionOption = None,
    graph: Annotated[str, typer.Option(metavar="NAME", help="Graph of kind 'query'.")] = "query",
    top_k: Annotated[
        int | None,
        typer.Option("--top-k", "-k", metavar="N", min=1, help="Passages to cite, at most 100.", show_default=False),
    ] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option(
            "--filter",
            metavar="EXPR",
            help="Keep passages such as 'type:pdf after:2024-01', doc_type=pdf, 'page>=10', 'language in en,zh', "
            "or a Haystack filter as JSON; "
            "may be repeated (all must hold).",
        ),
    ] = None,
    legs: Annotated[
        str | None, typer.Option(metavar="LEGS", help="dense, sparse, or dense,sparse (both, the default).")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also tell where each result stood at every stage, and by which words.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask a question; the answer cites its passages. On a terminal, without one, keep asking as khub chat does."""
    wanted = _legs(legs)
    if text is None:
        if not sys.stdin.isatty() or context.obj is not None or top_k or wanted or filters or explain or as_json:
            raise typer.BadParameter("the question is missing: see khub query -h", param_hint="TEXT")
        chat(collection, graph)
        return
    if (service := chosen_service(context)) is not None:
        from khub.components.value import as_json as json_of
        from khub.server.remote.questions import ask as ask_service

        refuse_options(explain=explain)
        question, kept = _question(text), _filters(filters)
        answer = ask_service(
            service, graph, query=question, collection=collection, top_k=top_k, filters=kept, legs=wanted
        )
        _show(json_of(answer), answer.answer, as_json)
        return
    asked = _Asked(_question(text), graph, collection, top_k, _filters(filters), wanted)
    if not explain and (found := _nearby(asked)) is not None:
        _show(found, str(found["answer"]), as_json)
        return
    _ask_here(asked, explain, as_json)


class _Asked(NamedTuple):
    """What was typed."""

    query: str
    graph: str
    collection: str | None
    top_k: int | None
    filters: dict[str, Any] | None
    legs: list[str] | None


def _nearby(asked: _Asked) -> dict[str, Any] | None:
    """Return the JSON of an answer by a process that has loaded the hub; None where there is none."""
    from khub.server.nearby.asking import answer_nearby, own_setting

    given = {name: value for name, value in asked._asdict().items() if value is not None}
    return answer_nearby({**given, "setting": own_setting()})  # type: ignore[typeddict-item]


def _ask_here(asked: _Asked, explain: bool, as_json: bool) -> None:
    from khub.components.catalog.catalog import open_catalog
    from khub.components.value import as_json as json_of
    from khub.server.commands.explain_view import show_explanation
    from khub.server.commands.terminal_tokens import tokens_on_terminal
    from khub.server.hub import Hub
    from khub.server.questions.explain import explaining
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    on_terminal = sys.stdout.isatty() and not as_json
    collection = asked.collection
    with tokens_on_terminal(on_terminal) as shown, explaining() if explain else nullcontext() as explanation:
        if explain:  # the stages of one run
            collection = open_catalog().opened_collections.resolve(collection)
        answer = Hub().ask(asked.query, collection, asked.graph, asked.top_k, asked.filters, asked.legs)
    explained = explanation.of(answer, asked.query, asked.filters) if explanation is not None else None
    _show(json_of(answer), shown.rest(answer), as_json, explained)
    if explained and not as_json:
        show_explanation(explained)


def _filters(texts: list[str] | None) -> dict[str, Any] | None:
    if not texts:
        return None
    from khub.server.library.filter_text import parse_filters

    return parse_filters(texts)


def _question(text: str) -> str:
    return sys.stdin.read() if text == "-" else text


def _show(answer: Mapping[str, Any], rest: str, as_json: bool, explained: "ExplainedAnswer | None" = None) -> None:
    """Write an answer.

    :param answer: as JSON.
    :param rest: what of it does not stand on the terminal yet.
    """
    for entry in answer["degraded"]:
        tell(f"degraded: {entry['stage']}", entry["reason"])
    if as_json:
        write_json({**answer, **({"explain": explained} if explained else {})})
    elif sys.stdout.isatty():
        render_markdown(rest)
    else:
        write_text(answer["answer"])


def _legs(text: str | None) -> list[str] | None:
    if text is None:
        return None
    legs = [leg.strip() for leg in text.split(",")]
    for leg in legs:
        if leg not in LEGS:
            raise typer.BadParameter(f"{leg!r} is no leg; use {' or '.join(LEGS)}, or both", param_hint="--legs")
    return legs
