# SPDX-License-Identifier: MIT
"""Getting clang, CCCL and nvcc: fetched once and whole, resumed, refused, named by hand.

A script stands for pip.
"""

import io
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lockstep_grader.machine.progress import FetchLine
from lockstep_grader.model.errors import ExitCode, FaultError
from lockstep_grader.toolchain import clang, nvcc_setup, wheels
from lockstep_grader.toolchain.clang import Clang, ensure_cccl, ensure_clang, find_clang
from lockstep_grader.toolchain.nvcc_setup import begin, state_of_nvcc
from lockstep_grader.toolchain.system import nvcc_of
from lockstep_grader.toolchain.wheels import NVCC

from conftest import runnable, wait_for

PINS = [NVCC.pin(wheel) for wheel in NVCC.wheels]
SAYS = 'echo "clang version {version} (a build)"'
TARGETS = "case $* in *--print-targets) echo '    nvptx64 - NVIDIA PTX 64-bit';; *) {says};; esac"
WHEELS = {
    "ziglang": {
        "ziglang/zig": "#!/bin/sh\necho 'clang version 22.1.8 (a build)'\n",
        "ziglang/lib/include/stddef.h": "",
        "ziglang/lib/std/big.zig": "not needed",
        "ziglang-0.17.1.dist-info/METADATA": "",
    },
    "nvidia_cuda_cccl": {
        f"nvidia/cu13/include/cccl/{name}": ""
        for name in ("cuda/atomic", "nv/target", "cub/cub.cuh", "thrust/sort.h", "other/x.h")
    },
    "nvidia_cuda_crt": {"nvidia/cu13/include/crt/host_config.h": ""},
    "nvidia_cuda_nvcc": {"nvidia/cu13/bin/nvcc": "", "nvidia/cu13/bin/ptxas": ""},
    "nvidia_cuda_runtime": {"nvidia/cu13/include/cuda_runtime.h": ""},
    "nvidia_nvvm": {"nvidia/cu13/nvvm/bin/cicc": ""},
}


def program(file: Path, script: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    runnable(file, f"#!/bin/sh\n{script}\n")
    return file


class Place:
    """A checkout's .venv and memory, and a pip that copies WHEELS or does as it is told."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.venv, self.state = root / ".venv", root / ".lockstep"
        self._log, self._pip = root / "log", root / "pip"
        self.venv.mkdir()
        for name, files in WHEELS.items():
            with zipfile.ZipFile(root / f"{name}-1-py3-none-any.whl", "w") as wheel:
                for file, text in files.items():
                    wheel.writestr(file, text)
        self.copies = (
            f'echo "$pin" >> {self._log}; name=${{pin%%==*}}; '
            f'cp {root}/${{name//-/_}}-1-py3-none-any.whl "$dest"'
        )
        self.does(self.copies)
        for variable in ("LOCKSTEP_CLANG", "LOCKSTEP_CCCL", "LOCKSTEP_NVCC"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setattr(wheels, "pip_command", lambda *_: [str(self._pip)])
        monkeypatch.setattr(clang, "_importable", list)
        monkeypatch.setattr(nvcc_setup, "toolkit_nvcc", lambda: "")
        monkeypatch.setattr(sys, "prefix", str(self.venv))

    def does(self, script: str) -> None:
        """In which $dest is the folder and $pin the package."""
        runnable(self._pip, f"#!/bin/bash\ndest=$5 pin=$6\n{script}\n")

    @property
    def asked(self) -> list[str]:
        """The pins of what it has copied so far."""
        return self._log.read_text().splitlines() if self._log.exists() else []

    @property
    def left(self) -> set[str]:
        return {path.name for path in self.venv.iterdir()}

    def begin(self, choice: bool | None = None) -> nvcc_setup.Installation | None:
        return begin(choice, state=self.state, venv=self.venv)

    def fetch(self, choice: bool | None = None) -> None:
        under_way = self.begin(choice)
        assert under_way
        under_way.finish()


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


# ---- nvcc, while the first command builds


def test_what_is_missing_is_fetched_once(place: Place, capfd: pytest.CaptureFixture[str]) -> None:
    (place.venv / "nvcc-killed" / "pip-unpack").mkdir(parents=True)
    place.fetch()
    assert place.asked == PINS
    assert NVCC.missing(place.venv) == []
    assert nvcc_of(place.venv) == str(place.venv / "nvcc" / "bin" / "nvcc")
    said = capfd.readouterr().err.splitlines()
    assert "fetching NVIDIA's compiler" in said[0]
    assert "129 MB" in said[0]
    assert said[-1] == "lab: NVIDIA's compiler is in .venv"
    assert place.begin() is None
    assert capfd.readouterr().err == ""
    assert [file.name for file in place.state.iterdir()] == ["nvcc.lock"]
    assert [file.name for file in place.venv.iterdir()] == ["nvcc"]  # no scratch folder


def test_a_failure_is_told_once_and_the_next_try_goes_on(
    place: Place, capfd: pytest.CaptureFixture[str]
) -> None:
    down = "NewConnectionError: Network is unreachable"
    place.does(f"case $pin in *nvcc*) echo '{down}'; exit 1;; esac; {place.copies}")
    place.fetch()
    (line,) = [line for line in capfd.readouterr().err.splitlines() if "going on" in line]
    assert "package server cannot be reached" in line
    assert line.endswith("./lab --nvcc doctor")
    assert place.begin() is None  # remembered
    assert "cannot be reached" in state_of_nvcc(place.state, place.venv)
    assert place.asked == PINS[:2]
    place.does(place.copies)
    place.fetch(choice=True)
    assert place.asked == PINS  # the first two were not fetched again
    assert NVCC.missing(place.venv) == []
    assert not (place.state / "no-nvcc").exists()


def test_a_day_later_it_is_tried_again(place: Place) -> None:
    place.does("exit 1")
    place.fetch()
    yesterday = time.time() - 25 * 3600
    os.utime(place.state / "no-nvcc", (yesterday, yesterday))
    place.does(place.copies)
    place.fetch()
    assert NVCC.missing(place.venv) == []


def test_no_nvcc_is_remembered_until_nvcc(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert place.begin(choice=False) is None
    monkeypatch.delenv("LOCKSTEP_NVCC")
    yesterday = time.time() - 25 * 3600
    os.utime(place.state / "no-nvcc", (yesterday, yesterday))
    assert place.begin() is None
    assert os.environ.pop("LOCKSTEP_NVCC") == "off"  # nor is one used that is there
    assert "switched off" in state_of_nvcc(place.state, place.venv)
    place.fetch(choice=True)
    assert NVCC.missing(place.venv) == []


def test_nothing_is_fetched_where_it_is_off_or_there_or_has_no_place(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as off:
        off.setenv("LOCKSTEP_NVCC", "off")
        assert place.begin() is None
    with monkeypatch.context() as toolkit:
        toolkit.setattr(nvcc_setup, "toolkit_nvcc", lambda: "/usr/local/cuda/bin/nvcc")
        assert place.begin() is None
    monkeypatch.setattr(sys, "prefix", "/usr")  # no private .venv
    assert place.begin() is None
    assert not place.state.exists()


def test_a_package_whose_files_are_gone_is_fetched_again(place: Place) -> None:
    place.fetch()
    (place.venv / "nvcc" / "nvvm" / "bin" / "cicc").unlink()
    assert [wheel.name for wheel in NVCC.missing(place.venv)] == ["nvidia-nvvm"]
    assert nvcc_of(place.venv) == ""  # it would call its own lack the student's error
    place.fetch()
    assert place.asked == [*PINS, PINS[-1]]


def test_ctrl_c_ends_pip_and_the_next_start_fetches_the_rest(
    place: Place, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    waits = place.venv / "waits"
    place.does(f"case $pin in *nvcc*) touch {waits}; exec sleep 60;; esac; {place.copies}")
    under_way = place.begin()
    assert under_way
    wait_for(waits.exists)
    with monkeypatch.context() as patch:
        patch.setattr(FetchLine, "show", interrupt)
        started = time.monotonic()
        under_way.finish()
    assert time.monotonic() - started < 5
    assert "the next start fetches the rest" in capfd.readouterr().err
    assert not (place.state / "no-nvcc").exists()  # no failure
    place.does(place.copies)
    place.fetch()
    assert place.asked == PINS


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_one_at_a_time_fetches(place: Place) -> None:
    place.does(f"sleep 0.2; {place.copies}")
    first = place.begin()
    assert first
    assert place.begin() is None
    first.finish()


def test_too_little_disk_is_said_before_the_download(
    place: Place, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    usage = shutil.disk_usage(place.venv)._replace(free=1 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    place.fetch()
    assert "the disk is full: free 1 GB, then ./lab --nvcc doctor" in capfd.readouterr().err
    assert not place.asked


def test_the_estimate_only_falls_and_starts_from_what_was_there() -> None:
    line = FetchLine("it", 100, 0.0, io.StringIO())
    assert line.text(50, 1.0) == "lab: it: 50 of 100 MB"  # of an earlier start: no rate yet
    said = [line.text(done, now) for done, now in ((60, 10), (61, 30), (80, 31))]
    assert said == [
        "lab: it: 60 of 100 MB, 40 s left",
        "lab: it: 61 of 100 MB",  # 106 s at this rate: the 20 s left would mislead
        "lab: it: 80 of 100 MB, 19 s left",
    ]
    assert line.text(100, 40) == "lab: it: 100 of 100 MB, unpacking"


def test_a_folder_of_pips_may_vanish_while_it_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def vanished(_: Path, pattern: str) -> Iterator[Path]:
        raise FileNotFoundError(pattern)

    monkeypatch.setattr(Path, "glob", vanished)
    assert wheels._arrived(tmp_path) == 0
