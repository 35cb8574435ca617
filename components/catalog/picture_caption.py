"""What a model or rules say of a picture."""

from typing import NotRequired, TypedDict


class PictureCaption(TypedDict):
    """The description of a picture in a passage.

    :ivar kind: of the picture, as the prompt names it.
    :ivar by: `model` or `rules`.
    :ivar low_quality: that the model's words say little.
    :ivar appended: that it stands at the end of the passage, which has no mark of the picture.
    """

    text: str
    kind: str
    by: str
    low_quality: bool
    appended: NotRequired[bool]
