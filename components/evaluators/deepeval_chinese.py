"""Chinese prompts for DeepEval's metrics, whose own are in English: for each prompt a method of the name it gives it.

They ask for the same JSON with the same keys and labels, and draw the same lines between the labels.
"""

import json
from collections.abc import Sequence


class Faithfulness:
    """Prompts of `FaithfulnessMetric`: claims of the answer, facts of the contexts, and whether they agree."""

    @staticmethod
    def generate_claims(actual_output: str) -> str:
        """Return the prompt that takes the answer apart."""
        return f"""请把下面这段回答拆成一条条事实性陈述。
要求：
- 每条陈述独立成句，主语明确，不用代词，保留原有的限定条件（时间、数值、适用范围）。
- 只依据回答本身，按字面理解；不管陈述是否属实，也不要补充你自己的知识。
- 不要收入寒暄、标题、引用编号和文件名。

示例
回答：“灯塔 4.2 于三月发布，支持离线安装；安装包约 300 MB。”
输出：{{"claims": ["灯塔 4.2 于三月发布。", "灯塔 4.2 支持离线安装。", "灯塔 4.2 的安装包约 300 MB。"]}}

只输出 JSON，键为 "claims"，值为字符串列表。

回答：
{actual_output}

JSON："""

    @staticmethod
    def generate_truths(retrieval_context: str) -> str:
        """Return the prompt that takes the contexts apart."""
        return f"""请从下面的材料中提取全部事实，一条事实写成一句话。
要求：
- 每条事实独立成句，主语明确，保留限定条件（时间、数值、适用范围），不要断章取义。
- 只依据材料本身，按字面理解；不管内容是否属实，也不要补充你自己的知识。

示例
材料：“出差补贴：一线城市每天 120 元，其他城市每天 80 元。”
输出：{{"truths": ["一线城市的出差补贴为每天 120 元。", "其他城市的出差补贴为每天 80 元。"]}}

只输出 JSON，键为 "truths"，值为字符串列表。

材料：
{retrieval_context}

JSON："""

    @staticmethod
    def generate_verdicts(claims: Sequence[str], retrieval_context: str) -> str:
        """Return the prompt that compares claims with facts."""
        return f"""下面有一组事实和一组陈述。请逐条判断每条陈述与这些事实是否相符。
标签 "verdict" 只能取以下三个值之一：
- "yes"：事实支持该陈述。
- "no"：事实与该陈述直接矛盾。
- "borderline"：事实中没有提到，无法支持也无法否定；或陈述本身含糊、只是推测。
取 "no" 或 "borderline" 时用 "reason" 说明原因，取 "yes" 时不写。不得使用你自己的知识。

输出格式：{{"verdicts": [{{"verdict": "yes"}}, {{"reason": "……", "verdict": "no"}}]}}
每条陈述恰好对应一个结论，顺序一致，共 {len(claims)} 个。只输出 JSON。

事实：
{retrieval_context}

陈述：
{_listed(claims)}

JSON："""


class AnswerRelevancy:
    """Prompts of `AnswerRelevancyMetric`: statements of the answer, and whether they have to do with the question."""

    @staticmethod
    def generate_statements(actual_output: str) -> str:
        """Return the prompt that takes the answer apart."""
        return f"""请把下面这段文字拆成一条条陈述，每条表达一个完整的意思。
不成句的词语只有在不属于任何一句话时才单独列出。不要增添文字中没有的内容。

示例
文字：“新款打印机支持双面打印，首年免费上门维修。”
输出：{{"statements": ["新款打印机支持双面打印。", "新款打印机首年免费上门维修。"]}}

只输出 JSON，键为 "statements"，值为字符串列表。

文字：
{actual_output}

JSON："""

    @staticmethod
    def generate_verdicts(input: str, statements: Sequence[str]) -> str:  # noqa: A002 - DeepEval's name for it
        """Return the prompt that compares statements with the question."""
        return f"""请逐条判断下列陈述是否有助于回答问题。
标签 "verdict" 只能取以下三个值之一：
- "yes"：与问题相关，有助于回答。
- "no"：与问题无关。
- "borderline"：不直接相关，但可能是有用的补充。
取 "no" 或 "borderline" 时用 "reason" 说明原因，取 "yes" 时不写。

输出格式：{{"verdicts": [{{"verdict": "yes"}}, {{"reason": "……", "verdict": "no"}}]}}
每条陈述恰好对应一个结论，顺序一致，共 {len(statements)} 个。只输出 JSON。

问题：
{input}

陈述：
{_listed(statements)}

JSON："""


class ContextualPrecision:
    """Prompt of `ContextualPrecisionMetric`: which contexts helped."""

    @staticmethod
    def generate_verdicts(input: str, expected_output: str, context_to_display: Sequence[str]) -> str:  # noqa: A002
        """Return the prompt that compares contexts with the golden answer."""
        return f"""给出一个问题、它的标准答案和若干段检索到的材料。请逐段判断该材料对得出标准答案是否有用。
标签 "verdict" 只能取 "yes"（有用）或 "no"（无用）；"reason" 用一句话说明原因，可引用材料原文，引文放在引号里。

输出格式：{{"verdicts": [{{"reason": "……", "verdict": "yes"}}, {{"reason": "……", "verdict": "no"}}]}}
每段材料恰好对应一个结论，顺序一致，共 {len(context_to_display)} 个。只输出 JSON。

问题：
{input}

标准答案：
{expected_output}

材料：
{_listed(context_to_display)}

JSON："""


class ContextualRecall:
    """Prompt of `ContextualRecallMetric`: which sentences of the golden answer the contexts give."""

    @staticmethod
    def generate_verdicts(expected_output: str, context_to_display: Sequence[str]) -> str:
        """Return the prompt that compares the golden answer with the contexts."""
        return f"""给出一个标准答案和若干段检索到的材料。请把标准答案分成句子，逐句判断能否从材料中得出。
标签 "verdict" 只能取 "yes"（任何一段材料能够得出）或 "no"（都不能）；\
"reason" 用一句话说明依据的是第几段材料，可引用材料原文，引文放在引号里。

输出格式：{{"verdicts": [{{"reason": "……", "verdict": "yes"}}, {{"reason": "……", "verdict": "no"}}]}}
标准答案的每个句子恰好对应一个结论，顺序一致。只输出 JSON。

标准答案：
{expected_output}

材料：
{_listed(context_to_display)}

JSON："""


def _listed(items: Sequence[str]) -> str:
    return json.dumps(list(items), ensure_ascii=False, indent=1)
