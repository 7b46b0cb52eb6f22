# SPDX-License-Identifier: MIT
"""Fetching nvcc from PyPI: resumed, interrupted, refused, remembered. A script stands for pip."""

import io
import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from lockstep_grader.machine.progress import FetchLine
from lockstep_grader.toolchain import nvcc_setup
from lockstep_grader.toolchain.nvcc_setup import begin, state_of_nvcc
from lockstep_grader.toolchain.system import nvcc_of
from lockstep_grader.toolchain.wheels import NVCC

from conftest import wait_for
from fake_pip import FakePip

PINS = [NVCC.pin(wheel) for wheel in NVCC.wheels]


class Place(FakePip):
    """A checkout's .venv and memory, and a pip."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(root, monkeypatch)
        self.venv, self.state = root / ".venv", root / ".lockstep"
        self.venv.mkdir()
        monkeypatch.delenv("LOCKSTEP_NVCC")
        monkeypatch.setattr(sys, "prefix", str(self.venv))
        monkeypatch.setattr(nvcc_setup, "toolkit_nvcc", lambda: "")

    def begin(self, choice: bool | None = None) -> nvcc_setup.Installation | None:
        return begin(choice, state=self.state, venv=self.venv)

    def fetch(self, choice: bool | None = None) -> None:
        under_way = self.begin(choice)
        assert under_way
        under_way.finish()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


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
