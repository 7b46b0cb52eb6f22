# SPDX-License-Identifier: MIT
"""Files written whole: a reader, or a run after a crash, never sees half of one."""

import contextlib
import errno
import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lockstep_grader.model.errors import FaultError, InputError

_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextlib.contextmanager
def scratch_for(path: Path) -> Iterator[Path]:
    """A file next to `path` to write to, renamed into place at the end, removed on failure.

    A path that is a link or no regular file, such as /dev/stdout, is its own scratch file: to
    rename over it would put a file in its place.
    Raises FaultError naming the file when the disk is full or the folder cannot be written.
    """
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            yield path
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}")
        try:
            yield scratch
            scratch.replace(path)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise
    except OSError as error:
        is_full = error.errno in _FULL
        next_step = "free space or choose another folder" if is_full else "choose another folder"
        raise FaultError(f"cannot write {path}: {error.strerror}; {next_step}") from error


def write_whole(path: Path, data: bytes) -> None:
    """Writes `data` to `path`, which holds all of it or what it held before."""
    with scratch_for(path) as scratch:
        scratch.write_bytes(data)


def require_writable(file: Path) -> None:
    """Checks that `path` can be written, before the work instead of after it. Raises InputError."""
    if not file.absolute().parent.is_dir():
        raise InputError(f"{file.parent}: no such folder for {file.name}")
    if file.is_dir():
        raise InputError(f"{file} is a folder; name a file")
    if not os.access(file if file.exists() else file.absolute().parent, os.W_OK):
        raise InputError(f"cannot write {file}: no permission; choose another folder")


def write_json(path: Path, value: Any) -> None:
    """Writes `value` as indented JSON; ASCII only, so that no reader's encoding matters."""
    write_whole(path, (json.dumps(value, indent=2) + "\n").encode("ascii"))
