"""`khub model eval`: measure embedding models alone, without a hub.

A data set is a folder in the format of BEIR (`corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`):

    khub model eval khub-base BEIR/xquad_en BEIR/cranfield --no-title
"""

from pathlib import Path
from typing import Annotated

import typer

from khub.eval.embedding.model_figures import ColdFigures, NamedModelFigures


def evaluate_model(
    model: Annotated[str, typer.Argument(metavar="NAME", help="A shipped model, or the path of a model folder.")],
    datasets: Annotated[list[Path], typer.Argument(metavar="DATASET…", help="Folders in the format of BEIR.")],
    threads: Annotated[
        int, typer.Option(min=0, metavar="N", help="Threads that embed; 0 for all processors.", show_default=False)
    ] = 0,
    no_title: Annotated[bool, typer.Option("--no-title", help="Leave the titles of the passages out.")] = False,
    compare: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Measure a second model, such as the one in float32.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all figures to this file, too.")
    ] = None,
) -> None:
    """Measure a model on data sets: retrieval quality, cosines of hits and misses, speed, cold start."""
    from khub.eval.embedding.report import tables, write_json
    from khub.eval.machine import machine
    from khub.server.terminal import write_text

    models = _measured([model, *([compare] if compare else [])], datasets, not no_title, threads)
    write_text(tables(models))
    if json_file:
        settings = {"machine": machine(), "threads": threads, "titles": not no_title}
        write_json(json_file, {**settings, "models": models})


def _measured(names: list[str], folders: list[Path], with_title: bool, threads: int) -> list[NamedModelFigures]:
    from khub.components.embedders.model_folder import find_model, load_model
    from khub.eval.embedding.measure import measure
    from khub.eval.embedding.speed import cold_start
    from khub.eval.retrieve.beir import read_dataset
    from khub.server.terminal import tell

    datasets = [read_dataset(folder, with_title) for folder in folders]
    loaded = [(name, load_model(name, threads), find_model(name)) for name in names]
    models: list[NamedModelFigures] = []
    for name, model, folder in loaded:
        tell(f"measuring {name}")
        start = cold_start(str(folder), threads)
        cold = ColdFigures(seconds=start.seconds, torch=start.torch)
        models.append({"name": name, **measure(model, folder, datasets), "cold": cold})
    return models
