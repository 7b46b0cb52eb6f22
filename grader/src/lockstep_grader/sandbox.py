# SPDX-License-Identifier: MIT
"""Where student code is compiled and run: bubblewrap, with nothing in sight that it does not need.

docs/sandbox.md says what is isolated, from whom, and what is not.
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
from typing import Protocol

from lockstep_grader.model import Backend
from lockstep_grader.seccomp import filter_program
from lockstep_grader.text import one_line

ADVICE = (
    "user namespaces must be permitted (sysctl kernel.unprivileged_userns_clone=1, on Ubuntu "
    "kernel.apparmor_restrict_unprivileged_userns=0; in a container a profile that lets unshare "
    "through), or run as root"
)
_NOT_INSTALLED = "bubblewrap is not installed"

# NVIDIA's driver shares memory between judge and worker, and identifies both by process and IPC
# namespace: on cuda the worker keeps the judge's. What that opens is closed elsewhere: the filter
# refuses signals to others, and the judge is not dumpable, so its memory is out of reach.
_NAMESPACES = {
    Backend.CPU: ("net", "uts", "pid", "ipc"),
    Backend.CUDA: ("net", "uts"),
}
_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache")
_LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64")
_CUDA_FOLDERS = ("/usr/local/cuda", "/opt/cuda", "/usr/lib/wsl", "/sys", "/proc")
_CUDA_ENVIRONMENT = ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")
_TMP = "/tmp"  # noqa: S108  # the sandbox's own
_TMP_BYTES = 1 << 30  # of memory, for a compiler's temporary files or the driver's cache

_FILTER_FD = 9
# Limits that outlast a judge: seconds of CPU over the worker's whole life, and open files. Then the
# filter's file, which bubblewrap reads from a descriptor.
_START = f"""ulimit -c 0
ulimit -t "$1"
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


class Confinement(Protocol):
    """How commands that touch student code are started."""

    def compiling(self, argv: Sequence[str], work: Path, include: Path) -> list[str]:
        """The command to start instead of `argv`, a step of a compilation in `work`."""

    def running(self, worker: Path, logs: Path | None = None) -> list[str]:
        """The words to put before the path of `worker`, or before its checker's."""


class Unconfined:
    """One's own code, or a machine that is thrown away."""

    def compiling(self, argv: Sequence[str], work: Path, include: Path) -> list[str]:
        del work, include
        return list(argv)

    def running(self, worker: Path, logs: Path | None = None) -> list[str]:
        del worker, logs
        return []


UNCONFINED = Unconfined()


@dataclass(frozen=True)
class Sandbox:
    program: str
    backend: Backend
    isolation: tuple[str, ...]  # the part of every command that this machine decides
    filter_file: Path
    hidden: tuple[Path, ...] = ()  # headers that the lab at hand may not use

    def compiling(self, argv: Sequence[str], work: Path, include: Path) -> list[str]:
        """`argv` with a view of the system, the files that it names, and its work folder.

        Of the folder `include` it sees the headers alone, of others all but what is hidden.
        """
        made = [self.program, *self.isolation, "--unshare-pid", "--unshare-ipc"]
        made += ["--setenv", "PATH", os.environ.get("PATH") or "/usr/bin:/bin"]
        made += _readable((*_SYSTEM, *_SYSTEM_FILES))
        made += ["--dev", "/dev", "--size", str(_TMP_BYTES), "--tmpfs", _TMP]
        if self.backend is Backend.CUDA:
            made += _readable(_CUDA_FOLDERS[:2])
        for given in _inputs(argv, work, include):
            made += _without(Path(given), self.hidden)
        made += ["--dir", str(include), *_readable(sorted(include.glob("*.cuh")))]
        made += ["--bind", str(work), str(work), "--chdir", str(work), "--remount-ro", "/"]
        return [*made, "--", *argv]

    def running(self, worker: Path, logs: Path | None = None) -> list[str]:
        """The words before the path of `worker`: it sees libraries and itself.

        `logs`: a folder that a checker around the worker may write to.
        """
        made = [self.program, *self.isolation]
        own = _NAMESPACES[self.backend]
        made += [f"--unshare-{name}" for name in ("pid", "ipc") if name in own]
        if self.backend is Backend.CPU:
            made += _readable((*_LIBRARIES, _SYSTEM_FILES[1]))
        else:
            made += list(_gpu())
        if logs:  # compute-sanitizer starts processes of its own: no filter
            made += ["--bind", str(logs), str(logs)]
        else:
            made += ["--seccomp", str(_FILTER_FD)]
        made += ["--ro-bind", str(worker), str(worker), "--chdir", "/", "--remount-ro", "/", "--"]
        limits = (_CPU_SECONDS, _OPEN_FILES[self.backend], _ADDRESS_SPACE_KIB[self.backend])
        shell = ["/bin/sh", "-c", _START, "sh", *map(str, limits)]
        return [*shell, str(self.filter_file), *made]


@dataclass(frozen=True, slots=True)
class NoSandbox:
    """Why there is none here, on one line."""

    reason: str


@cache
def find_sandbox(backend: Backend) -> Sandbox | NoSandbox:
    """The sandbox as it works on this machine: tried once, with the very command that is used."""
    program = shutil.which("bwrap")
    if not program:
        return NoSandbox(f"{_NOT_INSTALLED}: apt-get install -y bubblewrap")
    code = filter_program(backend)
    if code is None:
        return NoSandbox("there is no system-call filter for this kind of processor")
    filter_file = _keep(code)
    reason = ""
    for user in (("--unshare-user", "--uid", "65534", "--gid", "65534"), ()):
        if not user and os.geteuid() != 0:
            continue  # without a user namespace bubblewrap needs root
        sandbox = Sandbox(program, backend, (*user, *_isolation(backend)), filter_file)
        reason = _complaint(sandbox)
        if not reason:
            return sandbox
    return NoSandbox(f"bubblewrap does not work here ({reason}): {ADVICE}")


def _isolation(backend: Backend) -> tuple[str, ...]:
    own = (f"--unshare-{name}" for name in _NAMESPACES[backend] if name not in ("pid", "ipc"))
    ends = ("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
    return (*own, "--unshare-cgroup-try", *ends)


def _complaint(sandbox: Sandbox) -> str:
    """What goes wrong when something is run in `sandbox`; empty when nothing does."""
    true = Path(shutil.which("true") or "/bin/true")
    try:
        done = subprocess.run(
            [*sandbox.running(true), str(true)],
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
        if os.path.islink(path) and not path.startswith("/usr/local"):
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


def _inputs(argv: Sequence[str], work: Path, include: Path) -> Iterator[str]:
    """Files and folders that `argv` names, and where a compiler outside /usr lives."""
    program = Path(argv[0]).resolve()
    if not program.is_relative_to("/usr") and program.parent.name == "bin":
        yield str(program.parent.parent)
    for word in argv:
        if match := _ABSOLUTE.search(word):
            path = Path(match[1])
            seen = path.is_relative_to("/usr") or path.is_relative_to(work)
            if not seen and path != include and path.exists():
                yield str(path)


def _gpu() -> Iterator[str]:
    """Devices, driver and environment of a program that uses CUDA."""
    yield from _readable((*_SYSTEM, *_SYSTEM_FILES, *_CUDA_FOLDERS))
    yield from ("--dev", "/dev")
    for device in sorted(Path("/dev").glob("nvidia*")):
        yield from ("--dev-bind", str(device), str(device))
    yield from ("--size", str(_TMP_BYTES), "--tmpfs", _TMP)
    for name in _CUDA_ENVIRONMENT:
        if value := os.environ.get(name):
            yield from ("--setenv", name, value)
    for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        if folder.startswith("/") and os.path.isdir(folder):
            yield from ("--ro-bind", folder, folder)
