"""Whether a question asks for a picture."""

import re

_ENGLISH = re.compile(
    r"\b(?:charts?|figures?|diagrams?|pictures?|screenshots?|screen shots?|photos?|photographs?|images?|graphs?|plots?|"
    r"drawings?|illustrations?|flow ?charts?|schematics?|sketch(?:es)?)\b(?! out)",
    re.IGNORECASE,
)
_FIGURES = re.compile(r"\bfigures? (?:for|of|on) (?:sales|revenue|costs?|profits?)\b|\bfigure out\b", re.IGNORECASE)
_CHINESE = re.compile(
    "图表|截图|截屏|示意图|照片|图片|流程图|架构图|结构图|折线图|柱状图|饼图|曲线图|插图|配图|图像|图纸|原理图|拓扑图|组织图|"
    "哪[张幅]图|[一这那几]?[张幅]图|如图|(?:看|有|画|给|找|的|附|贴)图(?!书|形界面|谋|标)"
)


def asks_for_picture(text: str) -> bool:
    """Say whether a question names a picture of some kind, in Chinese or English."""
    return bool(_ENGLISH.search(_FIGURES.sub("", text)) or _CHINESE.search(text))
