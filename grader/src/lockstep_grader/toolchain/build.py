# SPDX-License-Identifier: MIT
"""Configures and builds a backend with CMake: judges, emulator and glue, but no rung."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lockstep_grader.machine.interrupts import interruption
from lockstep_grader.machine.progress import Stage, stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend
from lockstep_grader.model.text import one_line
from lockstep_grader.toolchain.clang import ensure_cccl, ensure_clang
from lockstep_grader.toolchain.system import toolkit_nvcc

_ROOM_BYTES = 1 << 20  # with less, a failed write is the likely cause, which ar does not name
_ELSEWHERE = "name another folder in LOCKSTEP_BUILD"
STRICT = "LOCKSTEP_STRICT"  # set in the environment by `./lab test`
_NINJA_STEP = re.compile(r"^\[(\d+)/(\d+)\] ")
_ERROR_LINES = (re.compile(r"\berror: "), re.compile(r"CMake Error"), re.compile(r"^FAILED"))


def judge_target(lab_id: str) -> str:
    """What AddLab.cmake calls all that one lab is judged with."""
    return f"judge_{lab_id}"


def workers_target(lab_id: str) -> str:
    """What it calls the workers of one lab's rungs, which ctest judges."""
    return f"workers_{lab_id}"


def build_backend(
    workspace: Workspace, backend: Backend, targets: Sequence[str], jobs: int
) -> Path:
    """Brings `targets` up to date and returns the path of lockstep.json.

    Raises FaultError with the first error line and the place of the whole log.
    """
    folder = workspace.build(backend)
    if not (workspace.root / "CMakeLists.txt").is_file():
        raise FaultError(
            f"{workspace.root / 'CMakeLists.txt'} is missing: is this a whole checkout?"
        )
    clang = _clang() if backend is Backend.CPU else ()
    with _exclusive(folder):
        with stage(f"configuring the {backend} backend") as progress:
            if not _is_configured(workspace, folder, clang):
                _forget_configuration(folder)
                argv = ["cmake", "--preset", str(backend), "-B", str(folder), *_strictness()]
                _run([*argv, *(f"-D{setting}" for setting in clang)], workspace, folder, progress)
        with stage(f"building the {backend} backend") as progress:
            command = ["cmake", "--build", str(folder), "--parallel", str(jobs)]
            _run([*command, "--target", *targets], workspace, folder, progress)
    return folder / "lockstep.json"


def _clang() -> tuple[str, ...]:
    """The settings that name the compiler of the cpu backend's rungs, and its headers."""
    return (f"LAB_CLANG:FILEPATH={ensure_clang().path}", f"LAB_CCCL:PATH={ensure_cccl()}")


def _is_configured(workspace: Workspace, folder: Path, settings: Sequence[str]) -> bool:
    """Whether an earlier configure of this very checkout, with `settings`, ran to its end."""
    try:
        cache = (folder / "CMakeCache.txt").read_text("utf-8", "replace")
    except OSError:
        return False
    ours = f"CMAKE_HOME_DIRECTORY:INTERNAL={workspace.root}\n" in cache
    is_strict = "LAB_WARNINGS_AS_ERRORS:BOOL=ON\n" in cache
    if not ours or is_strict != bool(_strictness()):
        return False
    if not all(f"{setting}\n" in cache for setting in settings):
        return False
    return all((folder / name).is_file() for name in ("build.ninja", "lockstep.json"))


def _forget_configuration(folder: Path) -> None:
    """What `cmake --fresh` does, which CMake 3.22 does not know."""
    (folder / "CMakeCache.txt").unlink(missing_ok=True)
    shutil.rmtree(folder / "CMakeFiles", ignore_errors=True)


def _strictness() -> tuple[str, ...]:
    """In the project's own tests, warnings are errors; in a user's build, they never are."""
    return ("-DLAB_WARNINGS_AS_ERRORS=ON",) if os.environ.get(STRICT) else ()


def _run(argv: Sequence[str], workspace: Workspace, folder: Path, progress: Stage) -> None:
    log = folder / "lab-build.log"
    lines: list[str] = []
    # CMake looks for nvcc on PATH alone; NVIDIA's installer does not put it there.
    env = {"CUDACXX": toolkit_nvcc(), **os.environ}
    child: subprocess.Popen[str] | None = None
    try:
        with interruption.calling(lambda: None):  # until we know what to end, it can run already
            child = _started(argv, workspace.root, env)
        for line in child.stdout or ():
            lines.append(line)
            if match := _NINJA_STEP.match(line):
                progress.advance(int(match[1]), int(match[2]))
        child.communicate()
    except BaseException:  # Ctrl-C: CMake, Ninja and the compilers go too, and tidy up
        if child and child.returncode is None:
            os.killpg(child.pid, signal.SIGTERM)
        raise
    if child.returncode != 0 and shutil.disk_usage(folder).free < _ROOM_BYTES:
        raise FaultError(f"cannot build in {folder}: the disk is full; free 1 GB, or {_ELSEWHERE}")
    log.write_text("".join(lines), "utf-8")
    if child.returncode != 0:
        raise FaultError(f"{' '.join(argv[:3])} failed: {_cause(lines)}; the whole log: {log}")


def _started(argv: Sequence[str], cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise FaultError(f"cannot run {argv[0]}: {error.strerror}; see ./lab doctor") from error


def _cause(lines: Sequence[str]) -> str:
    """The first error in a log, on one line; CMake gives the reason in the lines that follow."""
    for pattern in _ERROR_LINES:
        for index, line in enumerate(lines):
            if pattern.search(line):
                told = lines[index : index + 6] if "CMake Error" in line else [line]
                return one_line(" ".join(told).partition("Call Stack")[0])
    return one_line(" ".join(lines[-1:]))


@contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Keeps two graders from building in one folder at the same time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder.parent / f".{folder.name}.lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise FaultError(f"cannot build in {folder}: {error.strerror}; {_ELSEWHERE}") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
