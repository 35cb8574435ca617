"""A task of an ablation."""

from typing import TypedDict

from khub.eval.retrieve.collection_about import CollectionAbout


class TaskResult(TypedDict):
    """What was asked, and of what; `questions` is how many."""

    name: str
    metric: str
    questions: int
    collections: list[CollectionAbout]
