"""A picture that was searched for."""

from khub.components.catalog.picture_row import PictureRow


class FoundPicture(PictureRow):
    """What the catalog says of it.

    :ivar score: how near it is to what was searched for; the more, the nearer.
    """

    score: float
