# SPDX-License-Identifier: MIT
"""The results folder: one grader at a time, and nothing half-done left in it."""

import contextlib
import errno
import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from lockstep_grader.intake.archives import Spool
from lockstep_grader.intake.submission import Source, read_file
from lockstep_grader.model.errors import FaultError

_MAX_PICTURE_BYTES = 4 << 20
_PNG = b"\x89PNG\r\n\x1a\n"
_SCRATCH = re.compile(r"\..+\.\d+-\d+")  # what files.write_whole renames into place
_SPOOL = ".submitted"  # files taken out of archives, while they are judged
_LOCK = ".lock"


@contextlib.contextmanager
def results_folder(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Makes `folder` and holds it for this process alone.

    Waits for another grader, saying so. The lock is the kernel's and ends with its owner, however
    that ends. What a killed run left half-written is removed. Raises FaultError when the folder
    cannot be written.
    """
    with _held(folder, say):
        yield


@contextlib.contextmanager
def spool_in(folder: Path) -> Iterator[Spool]:
    """Room for submitted files in the results folder, for as long as they are needed."""
    spool = folder / _SPOOL
    try:
        yield Spool(spool)
    finally:
        shutil.rmtree(spool, ignore_errors=True)


def _held(folder: Path, say: Callable[[str], None]) -> IO[str]:
    """The open file whose lock says that `folder` is ours."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        lock = os.fdopen(handle, "r+")
        try:
            _acquire(handle, folder, say)
            lock.truncate(0)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            _sweep(folder)
        except BaseException:
            lock.close()
            raise
    except OSError as error:
        raise FaultError(
            f"cannot write {error.filename or folder}: {error.strerror}; "
            "choose another folder with --results"
        ) from error
    return lock


def _acquire(handle: int, folder: Path, say: Callable[[str], None]) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
        say(f"{folder} is in use by another grader (process {owner}); waiting for it to end")
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL):
            raise
        say(f"{folder} is on a file system without locks: let no other grader use it")


def _sweep(folder: Path) -> None:
    """Looks only where the grader itself writes: the folder may hold other things, and be large.

    Hidden folders are not its own: in .slurm a cluster's nodes write, also while no grader runs.
    """
    shutil.rmtree(folder / _SPOOL, ignore_errors=True)
    _sweep_files(folder)
    for lab in folder.glob("[!.]*/[0-9][0-9]-*"):
        for parent, _, _ in os.walk(lab):
            _sweep_files(Path(parent))


def _sweep_files(folder: Path) -> None:
    for path in folder.iterdir():
        if _SCRATCH.fullmatch(path.name):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def kept_file(folder: Path, submission: str, lab: str, name: str) -> Path | None:
    """The file's path; None for one that is absent, or that names would lead elsewhere."""
    file = folder / submission / lab / name
    try:
        inside = file.resolve().is_relative_to(folder.resolve())
        return file if inside and file.is_file() else None
    except (OSError, RuntimeError, ValueError):
        return None


def kept_source(folder: Path, submission: str, lab: str, rung: str) -> str:
    """The rung's source as it was judged; empty where it was not kept."""
    file = kept_file(folder, submission, lab, f"{rung}.cu")
    found = read_file(file) if file else None
    return found.data.decode() if isinstance(found, Source) else ""


def kept_picture(folder: Path, submission: str, lab: str, name: str) -> bytes:
    """A PNG that a test made; empty where it was not kept, or is none."""
    file = kept_file(folder, submission, lab, name)
    try:
        data = file.read_bytes() if file and file.stat().st_size <= _MAX_PICTURE_BYTES else b""
    except OSError:
        return b""
    return data if data.startswith(_PNG) else b""
