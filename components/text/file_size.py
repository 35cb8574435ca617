"""A number of bytes as people read it."""

STEPS = ("B", "kB", "MB", "GB", "TB")


def file_size(size: int) -> str:
    """Return a number of bytes in the unit that leaves at most three digits before the point."""
    amount, step = float(size), 0
    while amount >= 1000 and step < len(STEPS) - 1:
        amount, step = amount / 1000, step + 1
    return f"{amount:.1f} {STEPS[step]}" if step and amount < 100 else f"{amount:.0f} {STEPS[step]}"
