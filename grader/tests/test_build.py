# SPDX-License-Identifier: MIT
"""Configuring and building, with a CMake that is a shell script."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend
from lockstep_grader.toolchain.clang import Clang
from lockstep_grader.toolchain.description import build_backend

from conftest import FAKES, Checkout, is_gone, runnable, wait_for

CONFIGURE = (FAKES / "cmake").read_text("utf-8")


class FakeCMake:
    def __init__(self, checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
        self.log = checkout.work / "cmake.log"
        self._head = CONFIGURE.format(log=self.log, toolchain=checkout.root / "toolchain.json")
        self._program = checkout.write("bin/cmake", "")
        self.does("true")
        checkout.write("CMakeLists.txt", "")
        monkeypatch.delenv("LOCKSTEP_TOOLCHAIN")
        monkeypatch.setenv("PATH", f"{self._program.parent}:{os.environ['PATH']}")
        monkeypatch.setattr("lockstep_grader.toolchain.system.BUILD_REQUIREMENTS", ())
        self.workspace = Workspace(checkout.root, checkout.root / "build")

    def does(self, build: str) -> None:
        """What `cmake --build` must do."""
        runnable(self._program, f"#!/bin/sh\n{self._head}{build}\n")

    def build(self) -> Path:
        return build_backend(self.workspace, Backend.CPU, ["lockstep"], 2)


@pytest.fixture
def cmake(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> FakeCMake:
    return FakeCMake(checkout, monkeypatch)


def test_a_backend_is_configured_once_and_then_only_built(cmake: FakeCMake) -> None:
    toolchain = cmake.build()
    assert toolchain.is_file()
    cmake.build()
    assert cmake.log.read_text() == "configured\n"


@pytest.mark.parametrize("lost", ["CMakeCache.txt", "build.ninja", "lockstep.json"])
def test_a_configure_that_was_killed_is_done_again(cmake: FakeCMake, lost: str) -> None:
    (cmake.build().parent / lost).unlink()
    cmake.build()
    assert cmake.log.read_text() == "configured\n" * 2


def test_a_build_folder_of_another_checkout_is_configured_again(cmake: FakeCMake) -> None:
    cache = cmake.build().parent / "CMakeCache.txt"
    cache.write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/somewhere/else\n")
    cmake.build()
    assert cmake.log.read_text() == "configured\n" * 2


def test_warnings_are_errors_where_the_projects_own_tests_build_and_not_for_a_user(
    cmake: FakeCMake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCKSTEP_STRICT", raising=False)  # `./lab test` sets it

    def is_strict() -> bool:
        cache = cmake.build().parent / "CMakeCache.txt"
        return "LAB_WARNINGS_AS_ERRORS:BOOL=ON" in cache.read_text()

    assert not is_strict()
    monkeypatch.setenv("LOCKSTEP_STRICT", "1")
    assert is_strict()
    assert is_strict()
    monkeypatch.delenv("LOCKSTEP_STRICT")
    assert not is_strict()
    assert cmake.log.read_text() == "configured\n" * 3


def test_cpu_is_built_with_the_clang_that_is_here(
    cmake: FakeCMake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCKSTEP_STRICT", raising=False)
    here = ["/a/clang"]
    monkeypatch.setattr(
        "lockstep_grader.toolchain.description.ensure_clang", lambda: Clang(Path(here[0]), "22.1.8")
    )
    monkeypatch.setattr(
        "lockstep_grader.toolchain.description.ensure_cccl", lambda: Path("/a/cccl")
    )
    folder = cmake.build().parent
    assert folder.name == "cpu"
    cmake.build()
    cache = (folder / "CMakeCache.txt").read_text()
    assert "LAB_CLANG:FILEPATH=/a/clang\nLAB_CCCL:PATH=/a/cccl\n" in cache
    assert cmake.log.read_text() == "configured\n"
    here[0] = "/b/clang"
    cmake.build()
    assert cmake.log.read_text() == "configured\n" * 2


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("[1/2] a\nFAILED: b.o\nc++ -c b\nb.cpp:3:1: error: no g\n", "b.cpp:3:1: error: no g"),
        ("-- ok\nCMake Error at x:3 (find_package):\n  no GTest\n", "(find_package): no GTest"),
        ("ninja: cannot make progress\n", "ninja: cannot make progress"),
    ],
)
def test_a_failed_build_is_one_line_with_cause_and_log(
    cmake: FakeCMake, said: str, cause: str
) -> None:
    cmake.does(f"cat <<'END'\n{said}END\nexit 1")
    with pytest.raises(FaultError) as caught:
        cmake.build()
    message = str(caught.value)
    assert cause in message
    assert "\n" not in message
    log = cmake.workspace.build(Backend.CPU) / "lab-build.log"
    assert message.endswith(f"the whole log: {log}")
    assert log.read_text() == said


def test_a_build_that_fills_the_disk_says_so(
    cmake: FakeCMake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ar fails then with `reason: Success`, and the log could not be written either."""
    cmake.does("echo 'FAILED: libdevice.a'; exit 1")
    full = shutil.disk_usage("/")._replace(free=4096)
    monkeypatch.setattr("lockstep_grader.toolchain.description.shutil.disk_usage", lambda _: full)
    with pytest.raises(FaultError, match=r"the disk is full; free 1 GB, or name .* LOCKSTEP_BUILD"):
        cmake.build()


def test_a_folder_without_cmakelists_is_no_checkout(cmake: FakeCMake) -> None:
    (cmake.workspace.root / "CMakeLists.txt").unlink()
    with pytest.raises(FaultError, match="is this a whole checkout"):
        cmake.build()


def test_an_interrupted_build_ends_its_compilers(cmake: FakeCMake, checkout: Checkout) -> None:
    pid_file = checkout.work / "pid"
    cmake.does(f"sleep 60 & echo $! > {pid_file}; wait")
    running = checkout.start("grade", checkout.root / "solutions", "--backend", "cpu")
    wait_for(lambda: pid_file.exists() and pid_file.read_text() != "")
    running.send_signal(signal.SIGTERM)
    _, err = running.communicate(timeout=20)
    assert running.returncode == 130
    assert err.splitlines()[-1] == "lab: interrupted"
    wait_for(lambda: is_gone(int(pid_file.read_text())))
