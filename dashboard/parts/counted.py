"""A number and what it counts, in English."""


def counted(number: int, one: str, several: str) -> str:
    """Say how many there are: `1 file`, `1,200 files`.

    :param one: what a single one is called.
    :param several: what none or more of them are called.
    """
    return f"{number:,} {one if number == 1 else several}"
