"""`khub synth`: draft questions from documents for a person to accept.

khub synth MY-DOCUMENTS --out drafts.yaml
khub synth --accept drafts.yaml
"""

from pathlib import Path
from typing import Annotated

import typer


def synth(
    documents: Annotated[
        list[str] | None, typer.Argument(metavar="DOCUMENTS…", help="Files and folders.", show_default=False)
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where the drafts go, behind those that are there.",
            show_default="$KHUB_HOME/eval/drafts.yaml",
        ),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            "--documents",
            metavar="DIR",
            help="The folder that names of documents start from.",
            show_default="the one that holds all of them",
        ),
    ] = None,
    number: Annotated[int, typer.Option(min=1, metavar="N", help="Questions of each document, at most.")] = 10,
    generator: Annotated[
        str | None,
        typer.Option(
            metavar="GRAPH",
            help="Let the language model of this graph draft questions, too, such as more/evaluate_judged: it is sent "
            "passages of the documents.",
        ),
    ] = None,
    accept: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take the drafts of a file that say accepted: true into a golden set."),
    ] = None,
    golden: Annotated[
        str | None,
        typer.Option(
            "--set",
            metavar="NAME",
            help="With --accept: a set in eval/golden, or a .jsonl file.",
            show_default="$KHUB_HOME/eval/golden.jsonl",
        ),
    ] = None,
) -> None:
    """Draft questions from documents; none of them counts until a person has read and accepted it."""
    if accept is not None:
        if documents or out or root or generator:
            raise typer.BadParameter("it takes --set and nothing else", param_hint="--accept")
        _accept(accept, golden)
        return
    if not documents:
        raise typer.BadParameter("name documents, or --accept FILE", param_hint="DOCUMENTS")
    if golden:
        raise typer.BadParameter("it goes with --accept", param_hint="--set")
    _draft(documents, out, root, number, generator)


def _accept(file: Path, golden: str | None) -> None:
    from khub.eval.synth.draft import accepted_cases, read_rows
    from khub.eval.synth.growing_set import add_cases, set_file
    from khub.server.terminal import count, tell, write_line

    cases, target = accepted_cases(file), set_file(golden)
    added = add_cases(target, cases)
    write_line(f"{count(len(added), 'question')} added to {target}")
    if passed := len(cases) - len(added):
        tell(f"{count(passed, 'question')} there already")
    if waiting := len(read_rows(file)) - len(cases):
        tell(f"{count(waiting, 'draft')} not accepted", "read them, set accepted: true, and accept again")


def _draft(documents: list[str], out: Path | None, root: Path | None, number: int, generator: str | None) -> None:
    from khub.components.home import hub_home
    from khub.eval.synth.draft import Draft, add_drafts, check_name
    from khub.eval.synth.drafting import draft_by_rules
    from khub.eval.synth.model_drafts import draft_by_model, generator_of
    from khub.eval.synth.source_text import read_texts
    from khub.server.commands.progress import progress
    from khub.server.terminal import count, tell, write_line
    from khub.server.traces.app_log import configure_logging

    configure_logging()
    file = (out or hub_home() / "eval" / "drafts.yaml").expanduser().absolute()
    check_name(file)
    model = generator_of(generator) if generator else None
    with progress("read", "documents") as report:
        texts = read_texts(documents, root, report)
    drafts: list[Draft] = draft_by_rules(texts.read, number)
    added = add_drafts(file, drafts)
    for failure in texts.failed:
        tell(failure["source"], failure["error"], failure["remedy"])
    if model is not None:
        with progress("draft", "passages") as report:
            more, refused = draft_by_model(texts.read, model, number, report)
        added += add_drafts(file, more)
        for reason in refused:
            tell(reason)
    write_line(f"{count(added, 'draft')} added to {file}")
    tell("none counts in a run yet", f"read them, set accepted: true, then: khub synth --accept {file}")
    if texts.failed:
        raise typer.Exit(1)
