"""Measure answers by Ragas: a second opinion beside DeepEval's, by the same judge or another one."""

import os

from haystack import component

from khub.components.errors import MissingLibraryError
from khub.components.extras import install_extra
from khub.eval.evaluators.judge_run import JudgeEvaluator, Library


@component
class RagasEvaluator(JudgeEvaluator):
    """Faithfulness, context precision and context recall, as Ragas defines them.

    - `faithfulness`: share of the answer's statements that follow from the citations (DeepEval asks less: that they
      do not contradict them);
    - `context_precision`: average precision of the citations, each judged as useful or not for the golden answer;
    - `context_recall`: share of the golden answer's statements that the citations give.

    The judge is asked in the language of the question by prompts of our own where that is Chinese, and the same
    replies are refused as by `DeepEvalEvaluator`. Ragas' own translation of its prompts is not used: it asks the
    judge for it, and nothing tells when it fails. See S. Es et al., *RAGAS: Automated Evaluation of Retrieval
    Augmented Generation* (2023).

    :param chat_generator: the judge, any Haystack chat generator, in YAML as `{type, init_parameters}`.
    :param metrics: which of the three; None for all.
    :param depth: so many citations, from the first, are given to the judge.
    :param concurrency: values that are measured at the same time.
    :raises GraphError: when a metric is unknown, or a number below 1.
    """

    package = "ragas"
    known = ("faithfulness", "context_precision", "context_recall")

    @staticmethod
    def load() -> Library:
        """Import Ragas, told not to count its users.

        :raises MissingLibraryError: when it is not installed, or not with what it needs.
        """
        os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
        try:
            from khub.eval.evaluators.ragas_metrics import measure
        except ImportError as error:
            raise MissingLibraryError(
                f"RagasEvaluator needs ragas, which cannot be imported ({error})", install_extra("ragas")
            ) from error
        return measure
