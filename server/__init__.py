"""Front doors of the hub: graphs loaded by name, run and traced; the khub command."""

import khub.components  # noqa: F401  (telemetry switches are set before Haystack is imported)
