# SPDX-License-Identifier: MIT
"""lockstep.json, which CMake writes: how to compile a rung, and who judges it; how it is built."""

import hashlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from lockstep_grader.machine.files import locked, read_json
from lockstep_grader.machine.process import interruption
from lockstep_grader.machine.progress import Stage, stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend
from lockstep_grader.model.text import one_line
from lockstep_grader.toolchain.clang import ensure_cccl, ensure_clang
from lockstep_grader.toolchain.system import toolkit_nvcc

_VERSION = 1

# The linker that CMake chooses where it is installed, for its speed.
_QUICK_LINKER = "-fuse-ld=gold"


@dataclass(frozen=True)
class Step:
    """One command of a compilation.

    For a rung, `argv` may hold {source} {work} {include} {calls}; for a program of its own,
    {source} {object} {work} {std}.
    """

    name: str
    argv: tuple[str, ...]
    at_once: bool = False  # with the steps before and after it that are marked so, too

    def filled(self, **values: Path | str) -> tuple[str, ...]:
        filled = []
        for word in self.argv:
            for name, value in values.items():
                word = word.replace(f"{{{name}}}", str(value))
            filled.append(word)
        return tuple(filled)


@dataclass(frozen=True)
class LabTools:
    judge: Path  # the gtest executable
    calls: Path  # the worker's side of the lab's calls
    include: Path  # the folder of the contract header


@dataclass(frozen=True)
class Toolchain:
    file: Path
    backend: Backend
    compiler: Mapping[str, str]
    steps: tuple[Step, ...]
    anchors: Path | None
    labs: Mapping[str, LabTools]
    nvcc: Mapping[str, str] = field(default_factory=dict)  # that compiles rungs, too
    program: Mapping[str, Step] = field(default_factory=dict)  # how `run` builds one, by name
    features: frozenset[str] = frozenset()  # what this backend can find beyond wrong results
    root: str = ""  # the checkout's folder
    device: Path | None = None  # the program that plays the device, on cpu
    gpu: str = ""  # on cuda: the compute capability that all is compiled for, such as 9.0

    def lab(self, lab_id: str) -> LabTools:
        if lab_id not in self.labs:
            raise FaultError(
                f"{self.file} names no judge for {lab_id}: has labs/{lab_id} a lab.toml?"
            )
        return self.labs[lab_id]

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """All that a rung is compiled with or linked to, as far as it is ours."""
        words = [word for step in self.steps for word in step.argv]
        files = {Path(word) for word in words if Path(word).is_absolute() and Path(word).is_file()}
        folders = {Path(word.removeprefix("-I")) for word in words}
        for folder in folders:
            if folder.is_absolute() and folder.is_dir() and not folder.is_relative_to("/usr"):
                files.update(file for file in folder.rglob("*") if file.is_file())
        # Precompiled headers are made of the others; clang writes one to NAME.pch.tmp first.
        files = {file for file in files if ".pch" not in file.suffixes}
        files = {file for file in files if ".venv" not in file.parts}  # `compiler` has versions
        return (self.file, *sorted(files), *filter(None, (self.anchors, self.device)))

    @cached_property
    def digest(self) -> str:
        """Changes with any of the `files`, but not with the folders of checkout and build."""
        others = sorted((self._placeless(str(file)), file) for file in self.files[1:])
        names = "\n".join([self._placeless(self.file.read_text("utf-8")), *(n for n, _ in others)])
        return hashlib.sha256(f"{names} {digest(file for _, file in others)}".encode()).hexdigest()

    def _placeless(self, text: str) -> str:
        text = text.replace(str(self.file.parent), "BUILD")  # mostly in the checkout
        return text.replace(self.root, "ROOT") if self.root else text


def with_usual_linker(argv: Sequence[str]) -> tuple[str, ...]:
    """A link command as it is repeated after a failure: GNU ld names more lines in its errors."""
    return tuple(word for word in argv if word != _QUICK_LINKER)


def read_toolchain(file: Path) -> Toolchain:
    """Reads and checks lockstep.json. Raises FaultError when it is missing or not as agreed."""
    try:
        data = read_json(file)
        if data["version"] != _VERSION:
            raise FaultError(f"{file}: version {data['version']}, but this grader reads {_VERSION}")
        return _toolchain(file, data)
    except OSError as error:
        raise FaultError(f"{file}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FaultError(f"{file}: not the toolchain file that CMake writes ({error!r})") from error


def digest(files: Iterable[Path]) -> str:
    """A hash over the contents of `files`, in their order."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def _toolchain(file: Path, data: Any) -> Toolchain:
    anchors, device = data.get("anchors"), data.get("device")
    return Toolchain(
        file=file,
        backend=Backend(data["backend"]),
        compiler={str(key): str(value) for key, value in data["compiler"].items()},
        steps=tuple(map(_step, data["steps"])),
        anchors=Path(anchors) if anchors else None,
        labs={
            lab_id: LabTools(Path(lab["judge"]), Path(lab["calls"]), Path(lab["include"]))
            for lab_id, lab in data["labs"].items()
        },
        program={step["name"]: _step(step) for step in data.get("program", ())},
        features=frozenset(map(str, data.get("features", ()))),
        root=str(data.get("root", "")),
        device=Path(device) if device else None,
        gpu=str(data.get("gpu", "")),
    )


def _step(data: Any) -> Step:
    return Step(data["name"], tuple(map(str, data["argv"])), bool(data.get("at_once")))


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


def _exclusive(folder: Path) -> IO[str]:
    """Keeps two graders from building in one folder at the same time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return locked(folder.parent / f".{folder.name}.lock")
    except OSError as error:
        raise FaultError(f"cannot build in {folder}: {error.strerror}; {_ELSEWHERE}") from error
