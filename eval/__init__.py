"""What measures the hub, and what shows it."""

import khub.components  # noqa: F401  (its telemetry switches have to be set before Haystack is imported)
