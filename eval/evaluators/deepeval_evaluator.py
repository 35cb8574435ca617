"""Measure answers by DeepEval: a language model judges them, sentence by sentence."""

import os

from haystack import component

from khub.components.errors import MissingLibraryError
from khub.components.extras import install_extra
from khub.components.home import hub_home
from khub.eval.evaluators.judge_run import JudgeEvaluator, Library

SWITCHES = {
    "DEEPEVAL_DISABLE_DOTENV": "1",  # it would put the .env of the working directory into our environment
    "DEEPEVAL_DISABLE_LEGACY_KEYFILE": "1",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "CONFIDENT_TRACING_ENABLED": "NO",
}


@component
class DeepEvalEvaluator(JudgeEvaluator):
    """Faithfulness, answer relevancy, contextual precision and contextual recall, as DeepEval defines them.

    - `faithfulness`: share of the answer's claims that the citations do not contradict;
    - `answer_relevancy`: share of the answer's statements that have to do with the question;
    - `contextual_precision`: whether the citations that help stand above those that do not;
    - `contextual_recall`: share of the golden answer's sentences that the citations give.

    The judge is asked in the language of the question, and a reply in another one is not counted. Nor is one whose
    verdicts are not as many as what they are about, nor an answer in which it finds nothing to judge: DeepEval by
    itself gives such an answer the full score. Replies are kept in the hub's folder under who gave them.
    See J. Ip and K. Vongthongsri, *DeepEval*, and S. Es et al., *RAGAS* (2023), from which the first two derive.

    :param chat_generator: the judge, any Haystack chat generator, in YAML as `{type, init_parameters}`;
        `OpenAIChatGenerator` for any server that speaks OpenAI's chat API.
    :param metrics: which of the four; None for all.
    :param depth: so many citations, from the first, are given to the judge.
    :param concurrency: values that are measured at the same time.
    :raises GraphError: when a metric is unknown, or a number below 1.
    """

    package = "deepeval"
    known = ("faithfulness", "answer_relevancy", "contextual_precision", "contextual_recall")

    @staticmethod
    def load() -> Library:
        """Import DeepEval, quiet and with its folders in the hub's.

        :raises MissingLibraryError: when it is not installed.
        """
        for name, value in {**SWITCHES, "DEEPEVAL_CACHE_FOLDER": str(hub_home() / "judge" / "deepeval")}.items():
            os.environ.setdefault(name, value)
        os.environ.setdefault("DEEPEVAL_HOME", os.environ["DEEPEVAL_CACHE_FOLDER"])
        try:
            from khub.eval.evaluators.deepeval_metrics import measure
        except ImportError as error:
            raise MissingLibraryError(
                f"DeepEvalEvaluator needs deepeval, which cannot be imported ({error})",
                install_extra("eval"),
            ) from error
        return measure
