"""What kind a picture is, by the words around it."""

import re

from khub.components.catalog.picture import DocumentPicture

FIGURE = "figure"
_WORDS = {
    "flow chart": (
        "流程|示意图|架构图|结构图|框图|拓扑|时序图|状态图|思维导图|决策树",
        "flow ?-?charts?|diagrams?|workflow|architecture|topology|state machine|decision tree|mind map|schematic",
    ),
    "screenshot": (
        "截图|截屏|界面|对话框|菜单|控制台",
        "screen ?shots?|screen captures?|user interface|dialog|window|dashboard|menu",
    ),
    "photo": ("照片|实物|外观|拍摄", "photos?|photographs?|front view|rear view"),
    "data chart": (
        "曲线|柱状|条形图|折线|饼图|散点|直方图|趋势|走势|分布|占比|热力图|统计图|图表",
        "charts?|graphs?|plots?|histograms?|curves?|trends?|distribution|scatter|heat ?map|axis",
    ),
}
_SIGNS = {
    kind: re.compile(rf"{chinese}|\b(?:{english})\b", re.IGNORECASE) for kind, (chinese, english) in _WORDS.items()
}


def image_kind(image: DocumentPicture, around: str) -> str:
    """Return `flow chart`, `data chart`, `screenshot` or `photo`; `figure` where nothing tells.

    The picture's caption and alternative text are asked first, then the text around it; last, that photos are JPEG.

    :param around: the paragraphs next to the picture.
    """
    for words in (f"{image.picture.caption}\n{image.picture.alt}", around):
        for kind, sign in _SIGNS.items():
            if sign.search(words):
                return kind
    return "photo" if image.picture.mime == "image/jpeg" and not image.text else FIGURE
