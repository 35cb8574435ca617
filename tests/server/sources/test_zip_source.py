"""Archives become documents file by file, and cannot fill a disk or leave their folder."""

import io
import tarfile
import zipfile

import pytest

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
