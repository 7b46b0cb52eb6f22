# SPDX-License-Identifier: MIT
"""Getting clang: fetched once and whole, refused, named by hand. A script stands for pip."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lockstep_grader.model.errors import ExitCode, FaultError
from lockstep_grader.toolchain import clang, wheels
from lockstep_grader.toolchain.clang import Clang, ensure_cccl, ensure_clang, find_clang

from conftest import runnable, wait_for
from fake_pip import FakePip

SAYS = 'echo "clang version {version} (a build)"'
TARGETS = "case $* in *--print-targets) echo '    nvptx64 - NVIDIA PTX 64-bit';; *) {says};; esac"


def program(file: Path, script: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    runnable(file, f"#!/bin/sh\n{script}\n")
    return file


class Place(FakePip):
    """A checkout's .venv, and a pip."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(root, monkeypatch)
        self.venv = root / ".venv"
        self.venv.mkdir()
        monkeypatch.delenv("LOCKSTEP_CLANG", raising=False)
        monkeypatch.delenv("LOCKSTEP_CCCL", raising=False)
        monkeypatch.setattr(clang, "_importable", list)

    @property
    def left(self) -> set[str]:
        return {path.name for path in self.venv.iterdir()}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def test_it_is_fetched_once_and_only_what_is_needed_is_kept(
    place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    (place.venv / "clang-killed").mkdir()
    found = ensure_clang(place.venv)
    assert found == Clang(place.venv / "clang" / "zig", "22.1.8")
    assert place.asked == ["ziglang==0.17.1"]
    kept = {str(path.relative_to(found.path.parent)) for path in found.path.parent.rglob("*.*")}
    assert kept == {"lib/include/stddef.h", "whole.txt"}
    assert place.left == {"clang", "clang.lock"}
    said = capfd.readouterr().err.splitlines()
    assert said[0] == "lab: fetching clang, which compiles kernels (101 MB, once)"
    assert ensure_clang(place.venv) == found
    assert len(place.asked) == 1
    assert capfd.readouterr().err == ""


def test_a_rung_finds_no_library_that_does_what_a_lab_asks_for(place: Place) -> None:
    folder = ensure_cccl(place.venv)
    files = {str(path.relative_to(folder)) for path in folder.glob("*/*/*")}
    rungs, programs = {"cuda/atomic", "nv/target"}, {"cub/cub.cuh", "thrust/sort.h"}
    assert files == {f"rungs/{name}" for name in rungs} | {f"programs/{name}" for name in programs}
    assert ensure_cccl(place.venv) == folder
    assert len(place.asked) == 1


def test_a_folder_of_cccl_may_be_named(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCKSTEP_CCCL", str(tmp_path))
    with pytest.raises(FaultError, match="which has no cuda/atomic"):
        ensure_cccl(place.venv)
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / "atomic").touch()
    assert ensure_cccl(place.venv) == tmp_path
    assert not place.asked


def test_half_an_installation_is_fetched_again(place: Place) -> None:
    zig = ensure_clang(place.venv).path
    with zig.open("a") as stream:
        stream.write("# more\n")
    assert find_clang(place.venv) is None
    ensure_clang(place.venv)
    (zig.parent / "whole.txt").write_text("ziglang==0.16.0 7\n")
    ensure_clang(place.venv)
    assert len(place.asked) == 3


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "echo 'NewConnectionError: no'; exit 1",
            "the package server cannot be reached: connect this machine to the network",
        ),
        ("echo 'No space left on device'; exit 1", "the disk is full: free 1 GB"),
        ("exit 0", "no output"),
        ('echo torn > "$dest/zig.whl"', "File is not a zip file"),
    ],
)
def test_a_failure_is_one_line_with_the_next_step_and_leaves_nothing(
    place: Place, script: str, said: str
) -> None:
    place.does(script)
    with pytest.raises(FaultError) as raised:
        ensure_clang(place.venv)
    assert str(raised.value) == f"clang cannot be fetched: {said}, then run this again"
    assert raised.value.exit_code == ExitCode.FAULT
    assert place.left == {"clang.lock"}
    place.does(place.copies)
    assert ensure_clang(place.venv).version == "22.1.8"


def test_a_full_disk_is_told_before_anything_is_fetched(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(place.venv)._replace(free=1 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(FaultError, match="the disk is full: free 1 GB, then run this again"):
        ensure_clang(place.venv)
    assert not place.asked


def test_a_download_that_stands_still_is_given_up(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheels, "_STALL_SECONDS", 0.3)
    place.does('head -c 1000 /dev/zero > "$dest/zig.whl"; exec sleep 60')
    with pytest.raises(FaultError, match="nothing came for 0 s: wait a while, then run this again"):
        ensure_clang(place.venv)
    assert place.left == {"clang.lock"}


def test_ctrl_c_ends_pip_and_leaves_nothing(place: Place) -> None:
    place.does(f"echo $$ > {place.venv.parent}/pid; exec sleep 60")
    script = (
        "import sys; from pathlib import Path\n"
        "from lockstep_grader.toolchain import clang, wheels\n"
        "wheels.pip_command = lambda *_: [sys.argv[1]]; clang._importable = list\n"
        "from lockstep_grader.machine.process import interruption; interruption.listen()\n"
        "clang.ensure_clang(Path(sys.argv[2]))\n"
    )
    argv = [sys.executable, "-c", script, str(place.venv.parent / "pip"), str(place.venv)]
    source = Path(clang.__file__).parents[2]
    with subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": str(source)}) as child:
        wait_for((place.venv.parent / "pid").is_file)
        time.sleep(0.05)
        child.terminate()
    pid = int((place.venv.parent / "pid").read_text())
    assert child.returncode != 0
    assert not Path(f"/proc/{pid}").exists()
    assert place.left == {"clang.lock"}


def test_where_it_is_installed_whole_nothing_is_fetched_or_written(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zig = program(tmp_path / "site" / "ziglang" / "zig", SAYS.format(version="22.1.8"))
    monkeypatch.setattr(clang, "_importable", lambda: [zig])
    assert ensure_clang(place.venv) == Clang(zig, "22.1.8")
    assert place.left == set()


# ---- a system's clang, named by hand

Named = Callable[[str], Path]


@pytest.fixture
def named(tmp_path: Path, place: Place, monkeypatch: pytest.MonkeyPatch) -> Named:
    def make(script: str) -> Path:
        file = program(tmp_path / "bin" / "clang-x", script)
        monkeypatch.setenv("LOCKSTEP_CLANG", str(file))
        return file

    return make


def test_a_named_clang_is_used(named: Named, monkeypatch: pytest.MonkeyPatch) -> None:
    file = named(TARGETS.format(says=SAYS.format(version="19.1.7")))
    assert ensure_clang() == Clang(file, "19.1.7")
    monkeypatch.setenv("PATH", f"{file.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("LOCKSTEP_CLANG", "clang-x")
    assert ensure_clang() == Clang(file, "19.1.7")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (TARGETS.format(says=SAYS.format(version="18.1.3")), "is clang 18.1.3"),
        (SAYS.format(version="19.1.7"), "was built without the target NVPTX"),
        ("exit 1", "is no clang that runs"),
    ],
)
def test_a_named_clang_that_cannot_is_refused(named: Named, script: str, said: str) -> None:
    file = named(script)
    with pytest.raises(FaultError) as raised:
        ensure_clang()
    wish = "LOCKSTEP_CLANG must name clang 19 or newer, or be unset to fetch one"
    assert str(raised.value) == f"{file} {said}: {wish}"
