"""What a caller may do at all."""

from enum import IntEnum


class Access(IntEnum):
    """What a request needs, or may do."""

    NOTHING = 0
    READ = 1
    WRITE = 2
