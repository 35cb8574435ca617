"""A program that converts a file once more, and writes as JSON how much of it is left out on purpose, by what it is."""

import json
import os
import sys

from khub.components.errors import KhubError
from khub.components.private_files import OTHERS
from khub.server.library.convert import convert_file
from khub.server.traces.app_log import configure_logging

if __name__ == "__main__":
    os.umask(OTHERS)
    configure_logging()
    try:
        json.dump(convert_file(sys.argv[2], ocr=False).document.meta.get("removed") or {}, sys.stdout)
    except KhubError as error:
        sys.exit(str(error))
