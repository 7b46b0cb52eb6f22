# SPDX-License-Identifier: MIT
"""Reads archives in a child process with limits on time and memory.

A few bytes can keep a library busy for hours (CVE-2024-6232), and no limit on sizes prevents that.
One child serves a whole class; the next archive gets a new one where an archive has ended it.
"""

import contextlib
import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from lockstep_grader.intake.archives import ArchiveError, Bounds, Member, Spool, read_members, stem
from lockstep_grader.intake.platforms import METADATA, names_at_students
from lockstep_grader.model.errors import FaultError


@dataclass(frozen=True, slots=True)
class Names:
    """Rungs' files; of a class also its archives, its metadata, and files that a platform named."""

    files: tuple[str, ...]
    in_class: bool = False

    def __call__(self, name: str) -> bool:
        if name in self.files:
            return True
        if not self.in_class:
            return False
        if name == METADATA or stem(name) is not None:
            return True
        return any(rest in self.files for rest in names_at_students(name))


_MEMORY_BYTES = 4 << 30  # of address space; half a million entries take less
_PACKAGES = Path(__file__).parents[2]  # the folder of lockstep_grader


class ArchiveReader:
    """Reads one archive after the other into a spool; a context, which ends the child."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._child: subprocess.Popen[str] | None = None
        self._status = 0  # of the child that ended last; negative: it was ended by a signal

    def __enter__(self) -> "ArchiveReader":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def read(self, file: Path, wanted: Names, bounds: Bounds) -> tuple[Member, ...]:
        """Every entry of the archive; those whose name is `wanted` with their bytes.

        Raises ArchiveError, a sentence about the archive without its name, when it is damaged or
        beyond `bounds`; OSError when the file itself cannot be read; FaultError when we cannot.
        """
        file.open("rb").close()
        reply = self._ask(
            {
                "file": os.fspath(file.absolute()),
                "wanted": asdict(wanted),
                "spool": os.fspath(self._spool.folder.absolute()),
                "count": self._spool.count,
                "bounds": asdict(bounds),
            }
        )
        if reply is None:
            self._spool.count += bounds.entries  # what it wrote last is not known
            if self._status > 0:
                raise FaultError(f"the reader of archives ended with status {self._status}")
            raise ArchiveError(
                f"takes more than {bounds.cpu_seconds} s of processor time, or "
                f"{_MEMORY_BYTES >> 30} GiB of memory, to read"
            )
        self._spool.count = int(reply["count"])
        if problem := reply.get("problem"):
            raise ArchiveError(problem)
        if fault := reply.get("fault"):
            raise FaultError(fault)
        if error := reply.get("error"):
            raise OSError(*error)
        return tuple(Member(*item) for item in reply["members"])

    def _ask(self, request: Mapping[str, Any]) -> Any:
        """The child's reply; None when it has ended without one."""
        child = self._child or self._start()
        stdin, stdout = _pipes(child)
        try:
            stdin.write(json.dumps(request) + "\n")
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = ""
        if line.endswith("\n"):
            return json.loads(line)
        self._status = child.wait()  # its stdout is closed: it ends
        self._end()
        return None

    def _start(self) -> subprocess.Popen[str]:
        paths = [os.fspath(_PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])]
        self._child = subprocess.Popen(
            [sys.executable, "-m", __name__],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is ours to act on
        )
        return self._child

    def _end(self) -> None:
        if self._child is None:
            return
        for pipe in _pipes(self._child):
            with contextlib.suppress(OSError):
                pipe.close()
        self._child.kill()
        self._child.wait()
        self._child = None


def _pipes(child: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
    if child.stdin is None or child.stdout is None:
        raise ValueError("started without pipes")
    return child.stdin, child.stdout


def _serve() -> None:
    """The child: a request on each line of stdin, a reply on each line of stdout."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        request = json.loads(line)
        bounds = Bounds(**request["bounds"])
        _allow(bounds.cpu_seconds)
        print(json.dumps(_answer(request, bounds)), flush=True)


def _allow(cpu_seconds: int) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = int(used.ru_utime + used.ru_stime) + 1 + cpu_seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))  # SIGXCPU ends the process


def _answer(request: Any, bounds: Bounds) -> dict[str, Any]:
    spool = Spool(Path(request["spool"]), request["count"])
    wanted = Names(tuple(request["wanted"]["files"]), request["wanted"]["in_class"])
    found: dict[str, Any] = {}
    try:
        found["members"] = read_members(Path(request["file"]), wanted, spool, bounds)
    except ArchiveError as error:
        found["problem"] = str(error)
    except FaultError as error:
        found["fault"] = str(error)
    except OSError as error:
        found["error"] = [error.errno, error.strerror, error.filename]
    return {**found, "count": spool.count}


if __name__ == "__main__":
    _serve()
