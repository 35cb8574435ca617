import subprocess
import sys

import pytest

from khub.eval.figures import folder_mb, peak_mb, percentile

pytestmark = pytest.mark.unit
HELD = "import sys; from khub.eval.figures import peak_mb; x = b'x' * {size}; del x; sys.stdout.write(str(peak_mb()))"


def test_percentiles_lie_between_the_values_around_them():
    values = [float(value) for value in range(101)]
    assert [percentile(values, percent) for percent in (50, 95, 99)] == [50, 95, 99]
    assert percentile([1.0, 2.0], 50) == 1.5
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0
    assert percentile([7.0], 99) == 7.0


def test_peak_memory_is_that_of_the_process_itself():
    ballast = b"x" * 200_000_000
    small, large = (
        int(subprocess.run([sys.executable, "-c", HELD.format(size=size)], capture_output=True, check=True).stdout)
        for size in (1, 100_000_000)
    )
    assert small < 100 < large < 200
    assert peak_mb() > 200
    assert ballast


def test_a_folder_is_as_large_as_its_files(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one").write_bytes(b"x" * 1_200_000)
    (tmp_path / "two").write_bytes(b"x" * 300_000)
    assert folder_mb(tmp_path) == 1.5
