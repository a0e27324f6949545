"""Files that take their place when they are whole, and what is said where that cannot be."""

from __future__ import annotations

import errno
import os
import stat

import pytest

from exprgrad.data.files import Replacing, opened, read, reason
from exprgrad.errors import UsageError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_only_when_it_is_whole(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    with Replacing(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert names(tmp_path) == ["out"]


def test_after_an_error_the_old_file_stays_and_the_part_goes(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), Replacing(path):
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert names(tmp_path) == ["out"]


def test_a_part_that_is_kept_stands_beside_the_file(tmp_path):
    path = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt), Replacing(path, kept=True):
        raise KeyboardInterrupt
    assert names(tmp_path) == ["out.partial"]
    with Replacing(path, kept=True):
        pass
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_the_mode_of_the_file_is_kept(tmp_path, mode):
    path = tmp_path / "out"
    path.touch()
    path.chmod(mode)
    with Replacing(path) as file:
        file.write(b"x")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_mode_that_the_process_gives(tmp_path):
    path, other = tmp_path / "out", tmp_path / "other"
    other.touch()
    with Replacing(path):
        pass
    assert path.stat().st_mode == other.stat().st_mode


def test_a_link_is_followed(tmp_path):
    path, link = tmp_path / "out", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    with Replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_text() == "new"


def test_the_file_that_is_read_is_not_replaced(tmp_path):
    path, link = tmp_path / "data", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    for target, source in ((path, path), (link, path), (path, link)):
        with pytest.raises(UsageError, match="would replace the input"):
            Replacing(target, source)


def test_a_pipe_that_nothing_writes_to_is_refused_and_one_with_a_slow_writer_read(
    tmp_path, monkeypatch
):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setattr("exprgrad.data.files.WAIT", 0.02)
    with pytest.raises(UsageError, match="a pipe that nothing writes to"):
        read(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(path, os.O_WRONLY)
    with opened(path) as file:  # it waits no longer for what is written
        os.write(writer, b"x^2")
        os.close(writer)
        assert file.read() == b"x^2"
    os.close(reader)


def test_a_pipe_is_written_directly(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with Replacing(path) as file:
        file.write(b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_disk_that_is_full_is_one_diagnostic_and_leaves_nothing(tmp_path):
    path = tmp_path / "out"
    with (
        pytest.raises(UsageError, match=r"cannot write .*out: no space left"),
        Replacing(path),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert names(tmp_path) == []


def test_a_folder_and_a_place_that_is_not_there_are_refused(tmp_path):
    with pytest.raises(UsageError, match="is a folder"):
        Replacing(tmp_path)
    with pytest.raises(UsageError, match="no such file"), Replacing(tmp_path / "a/b"):
        raise AssertionError("it was opened")


def test_a_name_of_the_greatest_length_can_be_written(tmp_path):
    path = tmp_path / ("x" * 255)
    with Replacing(path) as file:
        file.write(b"x")
    assert path.read_bytes() == b"x"


@pytest.mark.parametrize(
    ("character", "told"), [("\0", "null character"), ("\ud83d", "half a character")]
)
def test_a_name_that_no_file_can_have_is_one_diagnostic(tmp_path, character, told):
    for name in (f"a{character}b", str(tmp_path / f"a{character}b")):
        with pytest.raises(UsageError, match=told):
            read(type(tmp_path)(name))
        with pytest.raises(UsageError, match=told):
            Replacing(type(tmp_path)(name))


def test_a_reason_is_what_the_system_says():
    assert reason(OSError(errno.EACCES, "Permission denied")) == "permission denied"
    assert reason(OSError("Odd")) == "odd"
