"""Haystack components of the hub, and the stores that they use.

Importing any of them switches the telemetry of the libraries below off, unless the user has set the variable himself:
they read it once, while they are imported. What these load with themselves, and seldom use, is put off until then.
"""

import os
import sys

from khub.components.put_off_imports import PUT_OFF, PutOffImports

TELEMETRY_SWITCHES = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "ANONYMIZED_TELEMETRY": "False",
    "HAYHOOKS_MONITORING_ENABLED": "false",
    "HAYHOOKS_TRACING_ENABLED": "false",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "false",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "ORT_DISABLE_TELEMETRY": "1",
}

for _name, _value in TELEMETRY_SWITCHES.items():
    os.environ.setdefault(_name, _value)
sys.meta_path.insert(0, PutOffImports(PUT_OFF))
