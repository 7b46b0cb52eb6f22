# SPDX-License-Identifier: MIT
"""Runs compilers and student code under bubblewrap, where they see only the files they need.

docs/sandbox.md says what is isolated, from what, and what is not.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lockstep_grader.confine.seccomp import filter_program
from lockstep_grader.machine import gpus
from lockstep_grader.model.grades import Backend
from lockstep_grader.model.text import one_line

ADVICE = (
    "user namespaces must be permitted (sysctl kernel.unprivileged_userns_clone=1, on Ubuntu "
    "kernel.apparmor_restrict_unprivileged_userns=0; in a container a profile that lets unshare "
    "through), or run as root"
)
_NOT_INSTALLED = "bubblewrap is not installed"
_OURS = Path(__file__).parent  # of the checkout, whose headers a compiler reads

_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64")
_CUDA_FOLDERS = ("/opt/cuda", "/sys")  # in addition to /usr: the toolkit and the driver
_CUDA_ENVIRONMENT = ("LD_LIBRARY_PATH", gpus.VARIABLE, "NVIDIA_VISIBLE_DEVICES")
_ISOLATION = (
    *(f"--unshare-{name}" for name in ("net", "uts", "pid", "ipc", "cgroup-try")),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
)
_TMP = "/tmp"  # noqa: S108  # the sandbox's own
_TMP_BYTES = 1 << 30  # of memory, for a compiler's temporary files or the driver's cache

_FILTER_FD = 9
_CHECKED_FILTER = "/filter"  # where worker/filter.cpp finds its own
# Limits that hold even if the judge dies: the worker's seconds of CPU, and its open files. Then the
# filter's file, which bubblewrap reads from a descriptor. The limit on CPU is the soft one, which
# ends with SIGXCPU: the hard one's SIGKILL would look as if another process had killed the worker.
_START = f"""ulimit -c 0
ulimit -S -t "$1"
ulimit -n "$2"
[ "$3" = 0 ] || ulimit -v "$3"
exec {_FILTER_FD}<"$4"
shift 4
exec "$@"
"""
_CPU_SECONDS = 900
_OPEN_FILES = {Backend.CPU: 64, Backend.CUDA: 4096}
# Address space, not memory (the judge limits that): the emulator reserves much and uses little; the
# driver reserves more than all memory there is.
_ADDRESS_SPACE_KIB = {Backend.CPU: 256 << 20, Backend.CUDA: 0}

_ABSOLUTE = re.compile(r"(?:^|=|^-[IL])(/[^=]*)$")


class Unconfined:
    """Code of this checkout, or a machine that is discarded."""

    def compiling(self, argv: Sequence[str], work: Path, include: Path) -> list[str]:
        del work, include
        return list(argv)

    def running(self, worker: Path, gpu: str = "", *, is_checked: bool = False) -> list[str]:
        del worker, gpu, is_checked
        return []

    def playing(self, device: Path, kernels: Sequence[Path]) -> list[str]:
        del device, kernels
        return []


UNCONFINED = Unconfined()


@dataclass(frozen=True)
class Sandbox:
    program: str
    backend: Backend
    isolation: tuple[str, ...]  # the part of every command that this machine decides
    filter_file: Path
    checked_filter: Path  # of a worker under compute-sanitizer
    device_filter: Path  # of a device process
    hidden: tuple[Path, ...] = ()  # headers that the lab at hand may not use
    shows_libraries: bool = False  # CUB and Thrust, which in other rungs are the student's to write

    def compiling(self, argv: Sequence[str], work: Path, include: Path) -> list[str]:
        """The command to start instead of `argv`, a step of a compilation.

        It has a view of the system, the files that it names, and its work folder. In the folder
        `include` it sees only headers, in others everything that is not hidden, but no library
        that solves a lab, unless the rung may use it.
        """
        path = os.environ.get("PATH") or "/usr/bin:/bin"
        made = [self.program, *self.isolation, "--setenv", "PATH", path]
        made += _readable((*_SYSTEM, *_SYSTEM_FILES))
        made += ["--dev", "/dev", "--size", str(_TMP_BYTES), "--tmpfs", _TMP]
        if self.backend is Backend.CUDA:
            made += _readable(_CUDA_FOLDERS[:1])
        for given in _inputs(argv, work, include):
            made += _without(Path(given), self.hidden)
        for folder in () if self.shows_libraries else _libraries(argv):
            made += ["--tmpfs", str(folder)]
        made += ["--dir", str(include), *_readable(sorted(include.glob("*.cuh")))]
        made += ["--bind", str(work), str(work), "--chdir", str(work), "--remount-ro", "/"]
        return [*made, "--", *argv]

    def running(self, worker: Path, gpu: str = "", *, is_checked: bool = False) -> list[str]:
        """The words before the path of `worker`: it sees libraries and itself.

        `gpu`: the one to use, as CUDA_VISIBLE_DEVICES names it, where not all that there are;
        `is_checked`: by a checker around it.
        """
        made = [self.program, *self.isolation]
        if self.backend is Backend.CPU:
            made += _readable((*_LIBRARIES, _SYSTEM_FILES[1]))
        else:
            made += list(_gpu(gpu))
        if is_checked:  # compute-sanitizer starts processes of its own: the worker takes the filter
            made += ["--ro-bind", str(self.checked_filter), _CHECKED_FILTER]
            made += ["--setenv", "LOCKSTEP_FILTER", _CHECKED_FILTER]
        else:
            made += ["--seccomp", str(_FILTER_FD)]
        return self._limited([*made, *_readable((worker,))], self.filter_file)

    def playing(self, device: Path, kernels: Sequence[Path]) -> list[str]:
        """The words before the path of `device`: it sees libraries, itself and the kernels."""
        made = [self.program, *self.isolation, *_readable((*_LIBRARIES, _SYSTEM_FILES[1]))]
        made += ["--seccomp", str(_FILTER_FD), *_readable((device, *kernels))]
        return self._limited(made, self.device_filter)

    def _limited(self, made: Sequence[str], filter_file: Path) -> list[str]:
        """The sandbox `made`, whose files are complete, under limits that outlive the judge."""
        limits = (_CPU_SECONDS, _OPEN_FILES[self.backend], _ADDRESS_SPACE_KIB[self.backend])
        shell = ["/bin/sh", "-c", _START, "sh", *map(str, limits), str(filter_file)]
        return [*shell, *made, "--chdir", "/", "--remount-ro", "/", "--"]


Confinement = Sandbox | Unconfined  # starts commands that handle student code


@dataclass(frozen=True, slots=True)
class NoSandbox:
    """Why there is none here, on one line."""

    reason: str


@cache
def find_sandbox(backend: Backend, probe: Path | None = None) -> Sandbox | NoSandbox:
    """The sandbox as it works on this machine: tried once, with the real commands.

    `probe` is a worker, to test whether it can reach the device from inside.
    """
    program = shutil.which("bwrap")
    if not program:
        return NoSandbox(f"{_NOT_INSTALLED}: apt-get install -y bubblewrap")
    code = filter_program(backend)
    checked_code = filter_program(backend, is_checked=True)
    device_code = filter_program(backend, has_threads=True)
    if code is None or checked_code is None or device_code is None:
        return NoSandbox("there is no system-call filter for this kind of processor")
    filters = (_keep(code), _keep(checked_code), _keep(device_code))
    reason = ""
    for user in (("--unshare-user", "--uid", "65534", "--gid", "65534"), ()):
        if not user and os.geteuid() != 0:
            continue  # without a user namespace bubblewrap needs root
        sandbox = Sandbox(program, backend, (*user, *_ISOLATION), *filters)
        reason = _complaint(sandbox, probe)
        if not reason:
            return sandbox
    return NoSandbox(f"bubblewrap does not work here ({reason}): {ADVICE}")


def _complaint(sandbox: Sandbox, probe: Path | None) -> str:
    """Why nothing can run or compile in `sandbox`; empty if it works.

    In a user namespace root may not look into a folder that only another user may read.
    """
    harmless = Path(shutil.which("true") or "/bin/true")
    runs = [*sandbox.running(probe or harmless), str(probe or harmless)]
    with tempfile.TemporaryDirectory(prefix="lockstep-") as work:
        compiles = sandbox.compiling([str(harmless), f"-I{_OURS}"], Path(work), Path(work, "lab"))
        return _failure([*runs, "--probe"] if probe else runs) or _failure(compiles)


def _failure(argv: Sequence[str]) -> str:
    """What it says if it fails, on one line; else empty."""
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return one_line(str(error))
    if done.returncode == 0:
        return ""
    said = one_line(done.stderr.removeprefix("bwrap: "))[:200]
    return said or f"it ended with status {done.returncode}"


@cache
def _keep(code: bytes) -> Path:
    """A file with the filter, for as long as this process lives."""
    holder = tempfile.NamedTemporaryFile(prefix="lockstep-filter-")  # noqa: SIM115  # kept open
    _HELD.append(holder)
    holder.write(code)
    holder.flush()
    return Path(holder.name)


_HELD: list[object] = []


def _readable(paths: Iterable[str | Path]) -> Iterator[str]:
    for path in map(str, paths):
        if path in _SYSTEM and os.path.islink(path):  # /bin is usr/bin, where /usr is one
            yield from ("--symlink", os.readlink(path), path)
        elif os.path.exists(path):
            yield from ("--ro-bind", path, path)


def _without(given: Path, hidden: Sequence[Path]) -> Iterator[str]:
    """`given`; a folder with something hidden in it is made of all the rest."""
    if not any(file.is_relative_to(given) for file in hidden):
        yield from _readable((given,))
    elif given.is_dir():
        yield from ("--dir", str(given))
        for entry in sorted(given.iterdir()):
            yield from _without(entry, hidden)


def _libraries(argv: Sequence[str]) -> Iterator[Path]:
    """CUB's and Thrust's folders, in those that `argv` names and in the toolkit of its nvcc."""
    folders = [Path(word) for word in argv if word.startswith("/")]
    for program in (Path(word).resolve() for word in argv if Path(word).name == "nvcc"):
        toolkit = program.parent.parent
        includes = (toolkit / "include", *toolkit.glob("targets/*/include"))
        folders += [base / name for base in includes for name in ("", "cccl")]
    libraries = (folder / name for folder in folders for name in ("cub", "thrust"))
    yield from dict.fromkeys(each.resolve() for each in libraries if each.is_dir())


def _inputs(argv: Sequence[str], work: Path, include: Path) -> Iterator[str]:
    """Files and folders that `argv` names, and where compilers outside /usr live.

    nvcc names a second one, which may be a script in front of another program of its folder.
    """
    for word in argv:
        if match := _ABSOLUTE.search(word):
            path = Path(match[1])
            program = path.resolve()
            if not program.is_relative_to("/usr") and program.parent.name == "bin":
                yield str(program.parent.parent)
            seen = path.is_relative_to("/usr") or path.is_relative_to(work)
            if not seen and path != include and path.exists():
                yield str(path)


def _gpu(chosen: str) -> Iterator[str]:
    """Devices, driver and environment of a program that uses CUDA."""
    yield from _readable((*_SYSTEM, *_SYSTEM_FILES, *_CUDA_FOLDERS))
    yield from ("--proc", "/proc", "--dev", "/dev")  # the driver names its threads in /proc
    others = gpus.files_of_others(chosen)
    for device in sorted(map(str, Path("/dev").glob("nvidia*"))):
        if device not in others:
            yield from ("--dev-bind", device, device)
    yield from ("--size", str(_TMP_BYTES), "--tmpfs", _TMP)
    environment = {name: os.environ.get(name, "") for name in _CUDA_ENVIRONMENT}
    environment["CUDA_DEVICE_MAX_CONNECTIONS"] = "1"  # as for every worker: see judge.cpp
    if chosen:
        environment[gpus.VARIABLE] = chosen
    for name, value in environment.items():
        if value:
            yield from ("--setenv", name, value)
    for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        if folder.startswith("/") and not folder.startswith("/usr/") and os.path.isdir(folder):
            yield from ("--ro-bind", folder, folder)
