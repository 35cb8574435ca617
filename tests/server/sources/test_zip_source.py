"""Archives become documents file by file, and cannot fill a disk or leave their folder."""

import bz2
import io
import os
import tarfile
import time
import tracemalloc
import zipfile

import pytest

from khub.components.sources.source import Notes, Options
from khub.components.sources.zip_source import Source
from tests.error_codes import raises_code

pytestmark = pytest.mark.integration
HERONS, OWLS = b"# Herons\n\nHerons wade.", b"# Owls\n\nOwls hunt."


def write_zip(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return f"zip:{path}"


def write_tar(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        link = tarfile.TarInfo("passwords.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return f"tar:{path}"


@pytest.mark.parametrize(("write", "name"), [(write_zip, "birds.zip"), (write_tar, "birds.tar.gz")])
def test_what_changed_in_it_and_nothing_else_is_read(tmp_path, following, titles, write, name):
    files = {"a/herons.md": HERONS, "../../owls.md": OWLS, ".hidden.md": b"# No", "tool.bin": b"\0"}
    address = write(tmp_path / name, files)
    plan, result = following(address)
    assert (titles(), result.failed) == (["Herons", "Owls"], [])
    assert all(path.is_relative_to(plan.asked.folder) for path in plan.mirror.files.values())
    assert "root:" not in "".join(path.read_text() for path in plan.mirror.files.values())
    plan, _ = following(address)
    assert plan.mirror.fetched == 0
    write(tmp_path / name, {"a/herons.md": HERONS, "b.md": b"# Storks\n\nStorks clatter."})
    plan, result = following(address)
    assert (plan.mirror.fetched, titles()) == (1, ["Herons", "Storks"])
    assert len(result.removed) == 1


def test_more_than_is_wanted_is_told_and_takes_nothing(tmp_path, following, titles):
    address = write_zip(tmp_path / "x.zip", {"a.md": HERONS, "b.md": OWLS})
    following(address)
    plan, _ = following(address, max_items=1, drastic=True)
    assert (bool(plan.mirror.notes.incomplete), titles()) == (True, ["Herons", "Owls"])


def test_a_bomb_is_left_out(tmp_path, following, titles):
    address = write_zip(tmp_path / "bomb.zip", {"a.md": HERONS, "big.txt": b"0" * 60_000_000})
    plan, _ = following(address)
    assert {one["source"] for one in plan.mirror.notes.left_out} == {"big.txt"}
    assert titles() == ["Herons"]


@pytest.mark.parametrize("name", ["zip:none.zip", "tar:none.tar", "zip:cut.zip", "tar:cut.tar.gz"])
def test_one_that_is_away_or_damaged_takes_nothing(tmp_path, following, titles, name):
    write = write_zip if name.startswith("zip") else write_tar
    path = tmp_path / name.partition(":")[2]
    following(write(path, {"herons.md": HERONS, "owls.md": OWLS * 1000}))
    data = path.read_bytes()
    path.unlink()
    if "cut" in name:
        path.write_bytes(data[: len(data) // 2])
    with raises_code("source_damaged" if "cut" in name else "source_unreadable", path.name):
        following(f"{name.partition(':')[0]}:{path}")
    assert titles() == ["Herons", "Owls"]


def test_files_of_one_name_in_different_case_do_not_meet(tmp_path, following, titles):
    following(write_zip(tmp_path / "x.zip", {"Owls.md": OWLS, "owls.MD": HERONS}))
    assert titles() == ["Herons", "Owls"]


@pytest.fixture
def listing(tmp_path):
    """Return a function that lists an archive without reading anything of it."""
    (tmp_path / "scratch").mkdir()
    options = Options(tmp_path / "scratch", tmp_path / "kept", extensions=frozenset({".md"}))
    return lambda address: list(Source(address, options).items({}, Notes()))


def next_descriptor():
    opened = os.dup(0)
    os.close(opened)
    return opened


@pytest.mark.parametrize("write", [write_zip, write_tar])
def test_an_entry_keeps_no_file_open_and_no_space_taken(tmp_path, listing, write):
    address = write(tmp_path / "many", {f"{number}.md": HERONS for number in range(50)})
    before = next_descriptor()
    assert len(listing(address)) == 50
    assert next_descriptor() == before
    assert list((tmp_path / "scratch").iterdir()) == []


def header(kind, size):
    entry = tarfile.TarInfo("header")
    entry.type, entry.size = kind, size
    return entry.tobuf(tarfile.USTAR_FORMAT)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_without_end_takes_no_memory(tmp_path, listing, kind):
    packer, path = bz2.BZ2Compressor(), tmp_path / "bomb.tar.bz2"
    with path.open("wb") as file:
        file.write(packer.compress(header(kind, 50_000_000)))
        file.writelines(packer.compress(b"x" * 1_000_000) for _ in range(50))
        file.write(packer.flush())
    tracemalloc.start()
    try:
        with raises_code("source_damaged", "bomb.tar.bz2", "1 MB"):
            listing(f"tar:{path}")
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_many_headers_of_one_entry_are_refused(tmp_path, listing):
    (tmp_path / "x.tar").write_bytes(header(tarfile.XHDTYPE, 0) * 1500)
    with raises_code("source_damaged", "x.tar"):
        listing(f"tar:{tmp_path / 'x.tar'}")


def test_headers_of_all_entries_stay_small_together(tmp_path, listing):
    with tarfile.open(tmp_path / "x.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        for number in range(3):
            archive.fileobj.write(archive.tarinfo.create_pax_global_header({f"k{number}": "v" * 500_000}))
            archive.addfile(tarfile.TarInfo(f"{number}.md"))
    with raises_code("source_damaged", "x.tar", "1 MB"):
        listing(f"tar:{tmp_path / 'x.tar'}")


def test_a_long_name_is_read(tmp_path, listing):
    name = f"{'herons/' * 40}a.md"
    assert [item.id for item in listing(write_tar(tmp_path / "x.tar", {name: HERONS}))] == [name]


def test_what_is_left_out_counts_as_unpacked_too(tmp_path, listing, monkeypatch):
    monkeypatch.setattr("khub.components.sources.zip_source.MOST_UNPACKED_MB", 1)
    address = write_tar(tmp_path / "x.tar.gz", {"a.md": HERONS, "film.bin": b"0" * 2_000_000, "b.md": OWLS})
    with raises_code("source_too_large", "x.tar.gz"):
        listing(address)


@pytest.mark.parametrize("ending", ["xz", "bz2"])
def test_a_damaged_one_is_told_however_it_is_packed(tmp_path, listing, ending):
    path = tmp_path / f"x.tar.{ending}"
    with tarfile.open(path, f"w:{ending}") as archive:
        entry = tarfile.TarInfo("a.md")
        entry.size = 100_000
        archive.addfile(entry, io.BytesIO(os.urandom(100_000)))
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 100] = bytes(100)
    path.write_bytes(data)
    with raises_code("source_damaged", path.name):
        listing(f"tar:{path}")


def test_the_last_entry_of_a_name_is_the_file(tmp_path, following, titles):
    path = tmp_path / "x.tar"
    for data in (HERONS, OWLS):
        with tarfile.open(path, "a") as archive:
            entry = tarfile.TarInfo("a.md")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    plan, _ = following(f"tar:{path}")
    assert (titles(), plan.mirror.fetched) == (["Owls"], 1)
    plan, _ = following(f"tar:{path}")
    assert plan.mirror.fetched == 0


def test_what_a_killed_sync_has_left_goes_after_a_day(tmp_path, following):
    address = write_zip(tmp_path / "a.zip", {"a.md": HERONS})
    plan, _ = following(address)
    folder = plan.asked.folder.parent
    for name, age in (("scratch-old", 100_000), ("scratch-new", 60)):
        (folder / name).mkdir()
        (folder / name / "part").write_bytes(b"x")
        then = time.time() - age
        os.utime(folder / name, (then, then))
    following(address)
    assert [one.name for one in folder.glob("scratch-*")] == ["scratch-new"]
