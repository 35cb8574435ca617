"""Office files whose bytes depend on their content alone."""

import io
import re
import zipfile
from datetime import datetime
from pathlib import Path

FIXED_DATE = datetime(2026, 3, 3, 9, 0, 0)


def write_fixed_zip(buffer: io.BytesIO, target: Path) -> None:
    """Write an Office file with fixed times, because the libraries stamp it with the present.

    :param buffer: the file as a library has written it.
    :param target: where to write it.
    """
    modified = rb"(<dcterms:modified[^>]*>)[^<]*"
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                data = re.sub(modified, rb"\g<1>" + FIXED_DATE.strftime("%Y-%m-%dT%H:%M:%SZ").encode(), data)
            entry = zipfile.ZipInfo(name, date_time=FIXED_DATE.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 0
            new.writestr(entry, data)
