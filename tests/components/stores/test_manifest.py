"""A file that is not what was written is found."""

import os

import pytest

import khub.components.stores.manifest as module
from khub.components.stores.manifest import describe, first_change, first_damage

pytestmark = pytest.mark.unit


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sub").mkdir()
    for name, content in (("a.bin", b"aaaa"), ("sub/b.bin", b"bbbb"), ("empty", b"")):
        (tmp_path / name).write_bytes(content)
    return tmp_path


def files(folder):
    return sorted(p for p in folder.rglob("*") if p.is_file())


def rewrite(file, content, same_time=True):
    stat = file.stat()
    file.write_bytes(content)
    if same_time:
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    else:
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1_000_000_000))


def test_untouched_files_are_whole(folder):
    manifest = describe(folder, files(folder), {})
    assert set(manifest) == {"a.bin", "sub/b.bin", "empty"}
    assert first_change(folder, manifest) is None
    assert first_damage(folder, manifest, thorough=True) is None
    assert first_damage(folder, {}) is None


def test_file_that_was_copied_has_changed_and_is_not_damaged(folder):
    manifest = describe(folder, files(folder), {})
    rewrite(folder / "a.bin", b"aaaa", same_time=False)
    assert first_change(folder, manifest) == "a.bin"
    assert first_damage(folder, manifest) is None


@pytest.mark.parametrize("content", [b"aaab", b"aaa", b"aaaaa", b""])
def test_other_content_is_damage(folder, content):
    manifest = describe(folder, files(folder), {})
    rewrite(folder / "a.bin", content, same_time=False)
    assert first_change(folder, manifest) == "a.bin"
    assert first_damage(folder, manifest) == "a.bin"


def test_same_size_and_time_is_looked_into_only_thoroughly(folder):
    manifest = describe(folder, files(folder), {})
    rewrite(folder / "sub" / "b.bin", b"bbbx")
    assert first_damage(folder, manifest) is None
    assert first_damage(folder, manifest, thorough=True) == "sub/b.bin"


def test_missing_file_is_damage(folder):
    manifest = describe(folder, files(folder), {})
    (folder / "empty").unlink()
    assert first_change(folder, manifest) == first_damage(folder, manifest) == "empty"
    assert first_damage(folder / "nowhere", manifest) is not None


def test_checksum_is_computed_again_only_for_changed_files(folder, monkeypatch):
    before = describe(folder, files(folder), {})
    summed = []
    crc32 = module._crc32
    monkeypatch.setattr(module, "_crc32", lambda file: (summed.append(file.name), crc32(file))[1])
    rewrite(folder / "a.bin", b"cccc", same_time=False)
    after = describe(folder, files(folder), before)
    assert summed == ["a.bin"]
    assert after["a.bin"] != before["a.bin"]
    assert {k: v for k, v in after.items() if k != "a.bin"} == {k: v for k, v in before.items() if k != "a.bin"}


def test_large_file_is_read_in_blocks(folder, monkeypatch):
    whole = describe(folder, files(folder), {})
    monkeypatch.setattr(module, "READ_SIZE", 3)
    assert describe(folder, files(folder), {}) == whole
