# SPDX-License-Identifier: MIT
"""Files written whole: a reader, or a run after a crash, never sees half of one.

And what is in them: JSON with one record per line, archives whose bytes depend only on their
contents. Scripts of docs/bench import it before any package is installed: standard library only.
"""

import contextlib
import errno
import fcntl
import io
import json
import os
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

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


def locked(file: Path, *, waits: bool = True) -> IO[str]:
    """The lock, the kernel's, until it is closed or its owner ends.

    Raises OSError, also where another process has it and `waits` is false.
    """
    stream = file.open("w")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        stream.close()
        raise
    return stream


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


def read_json(file: Path) -> Any:
    """What is in `file`. Raises OSError; or ValueError, also where it is nested too deeply."""
    try:
        return json.loads(file.read_bytes())
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def as_records(report: dict[str, Any]) -> str:
    """A line for each field; or for each of its items, if these have parts of their own."""
    return _lines({name: _field(value) for name, value in report.items()}, "")


def _field(value: Any) -> str:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not any(isinstance(item, (dict, list)) for item in items):
        return json.dumps(value)
    if isinstance(value, dict):
        return _lines({name: json.dumps(item) for name, item in value.items()}, " ")
    rows = ",\n  ".join(map(json.dumps, value))
    return f"[\n  {rows}\n ]"


def _lines(fields: dict[str, str], indent: str) -> str:
    between = f",\n{indent} "
    rows = between.join(f"{json.dumps(name)}: {text}" for name, text in fields.items())
    return f"{{\n{indent} {rows}\n{indent}}}" if rows else "{}"


_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
_MODES = {False: 0o644, True: 0o755}


@dataclass(frozen=True, slots=True)
class Packed:
    """One file of an archive."""

    data: bytes
    executable: bool = False


Files = Mapping[str, Packed]  # by path, with slashes


def text(content: str, executable: bool = False) -> Packed:
    return Packed(content.encode("utf-8"), executable)


def under(folder: str, files: Files) -> Files:
    """`files`, moved into `folder`."""
    return {f"{folder}/{path}": file for path, file in files.items()}


def zipped(files: Files) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, file in sorted(files.items()):
            entry = zipfile.ZipInfo(path, _ZIP_EPOCH)
            entry.create_system = 3  # Unix: the mode below counts
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | _MODES[file.executable]) << 16
            archive.writestr(entry, file.data)
    return out.getvalue()


def tarred(files: Files) -> bytes:
    """An uncompressed tar; folders have entries of their own, as Autolab's import wants."""
    out = io.BytesIO()
    folders = {str(parent) for path in files for parent in PurePosixPath(path).parents} - {"."}
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in sorted([*folders, *files]):
            entry = tarfile.TarInfo(path)
            if path in files:
                entry.size, entry.mode = len(files[path].data), _MODES[files[path].executable]
                archive.addfile(entry, io.BytesIO(files[path].data))
            else:
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
    return out.getvalue()
