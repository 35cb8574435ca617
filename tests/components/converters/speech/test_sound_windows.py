import shutil
import subprocess

import numpy as np
import pytest

from khub.components.errors import SourceDamagedError, SourceEmptyError
from tests.components.converters.speech.spoken import RATE, needs_speech, tone

pytestmark = pytest.mark.unit


@pytest.fixture
def windows_of():
    needs_speech()
    from khub.components.converters.speech.sound_windows import SoundWindows

    return SoundWindows


def all_of(sound, seconds):
    found = []
    while (window := sound.next(seconds)) is not None:
        found.append(window)
    return found


def test_a_window_ends_where_it_is_quiet(windows_of, tmp_path):
    loud = [True] * 50
    loud[27] = False
    sound = windows_of(tone(tmp_path / "a.wav", loud))
    first = sound.next(30)
    assert 27 < len(first) / RATE < 28
    assert sound.position == pytest.approx(len(first) / RATE)


def test_windows_joined_are_the_whole(windows_of, tmp_path):
    path = tone(tmp_path / "a.wav", [number % 3 != 0 for number in range(70)])
    (whole,) = all_of(windows_of(path), 100)
    several = all_of(windows_of(path), 30)
    assert len(several) > 2
    assert len(whole) == 70 * RATE == sum(map(len, several))
    assert (whole == np.concatenate(several)).all()


def test_a_place_is_reached_from_the_beginning(windows_of, tmp_path):
    path = tone(tmp_path / "a.wav", [True] * 40)
    whole, sound = windows_of(path).next(100), windows_of(path)
    sound.skip_to(31.5)
    assert sound.position == 31.5
    rest = sound.next(100)
    assert (rest == whole[int(31.5 * RATE) :]).all()


def test_another_rate_and_form_has_the_same_length(windows_of, tmp_path):
    if shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg is not installed")
    path = tone(tmp_path / "a.wav", [True, False] * 10, rate=44_100)
    for name in ("a.mp3", "a.m4a", "a.ogg", "a.flac", "a.mkv", "a.webm", "a.mp4"):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(path), str(tmp_path / name)], check=True)
        assert len(windows_of(tmp_path / name).next(100)) / RATE == pytest.approx(20, abs=0.3), name


def test_a_late_beginning_stays_late(windows_of, tmp_path):
    if shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg is not installed")
    path, late = tone(tmp_path / "a.wav", [True] * 5), tmp_path / "late.mkv"
    picture = ["-f", "lavfi", "-i", "color=size=16x16:rate=5:duration=12"]
    subprocess.run(
        ["ffmpeg", "-v", "error", *picture, "-itsoffset", "6", "-i", str(path), "-shortest", str(late)], check=True
    )
    samples = windows_of(late).next(100)
    assert abs(samples[: 5 * RATE]).max() < 0.01
    assert abs(samples[7 * RATE :]).max() > 0.1


def test_what_is_no_recording_is_said(windows_of, tmp_path):
    (tmp_path / "a.mp3").write_bytes(b"this is no sound" * 100)
    with pytest.raises(SourceDamagedError, match=r"a\.mp3"):
        windows_of(tmp_path / "a.mp3")


def test_a_list_of_other_files_is_not_followed(windows_of, tmp_path):
    secret = tone(tmp_path / "secret.wav", [True] * 3)
    (tmp_path / "a.mp3").write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nfile://{secret}\n#EXT-X-ENDLIST\n")
    (tmp_path / "b.mp3").write_text(f"ffconcat version 1.0\nfile '{secret}'\n")
    for name in ("a.mp3", "b.mp3"):
        with pytest.raises(SourceDamagedError):
            windows_of(tmp_path / name)


def test_a_film_without_sound_is_said(windows_of, tmp_path):
    if shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg is not installed")
    silent = tmp_path / "a.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=size=16x16:rate=5:duration=1", str(silent)], check=True
    )
    with pytest.raises(SourceEmptyError, match="no sound"):
        windows_of(silent)


def test_a_damaged_place_costs_that_place_alone(windows_of, tmp_path):
    if shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg is not installed")
    path, packed = tone(tmp_path / "a.wav", [True] * 20), tmp_path / "a.flac"
    subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), str(packed)], check=True)
    data = bytearray(packed.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 3000] = bytes(3000)
    packed.write_bytes(data)
    sound = windows_of(packed)
    assert len(sound.next(100)) / RATE == pytest.approx(20, abs=2)


def test_a_file_that_was_cut_off_is_read_as_far_as_it_goes(windows_of, tmp_path):
    if shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg is not installed")
    path, packed = tone(tmp_path / "a.wav", [True] * 20), tmp_path / "a.mp3"
    subprocess.run(["ffmpeg", "-v", "error", "-i", str(path), str(packed)], check=True)
    data = packed.read_bytes()
    packed.write_bytes(data[: len(data) // 2])
    assert 8 < len(windows_of(packed).next(100)) / RATE < 12
