# SPDX-License-Identifier: MIT
"""Takes a lab's rung files and answers, and nothing else, from what a platform received."""

import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from lockstep_grader.intake.archives import BOUNDED_COMPRESSION
from lockstep_grader.intake.submission import MAX_SOURCE_BYTES
from lockstep_grader.model.grades import Lab
from lockstep_grader.model.quiz import ANSWERS

_MAX_ENTRIES = 20_000
_MAX_ARCHIVE_BYTES = 32 << 20
_ENOUGH = MAX_SOURCE_BYTES + 1  # one more than allowed: the grader then says that it is too large
# What zipfile and tarfile raise for bytes that are not an archive, or not a whole one.
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, struct.error, LookupError)
_UNREADABLE = (OSError, ValueError, NotImplementedError, RuntimeError, OverflowError)


def take(source: Path, lab: Lab, target: Path) -> str:
    """Copies the rung files and the answers of a folder, zip or tar into the folder `target`.

    A file may lie at the top, in a folder named after the lab, or deeper: takes the first, in the
    order of `_rank`. Returns one sentence when nothing can be read at all, else an empty text.
    """
    target.mkdir(parents=True)
    try:
        if source.is_dir():
            return _from_folder(source, lab, target)
        if not source.is_file():
            return f"{source.name} is missing from the submission"
        if source.stat().st_size > _MAX_ARCHIVE_BYTES:
            return f"{source.name} is larger than {_MAX_ARCHIVE_BYTES >> 20} MiB"
        if zipfile.is_zipfile(source):
            return _from_zip(source, lab, target)
        return _from_tar(source, lab, target)
    except _DAMAGED as error:
        return f"{source.name} is damaged, or neither zip nor tar: {error}"
    except _UNREADABLE as error:
        return f"{source.name} cannot be read: {error}"


def _from_folder(source: Path, lab: Lab, target: Path) -> str:
    paths = []
    for folder, folders, names in os.walk(source):  # follows no link
        folders.sort()
        paths += [Path(folder, name).relative_to(source) for name in names]
        if len(paths) > _MAX_ENTRIES:
            break

    def read(path: PurePosixPath) -> bytes | None:
        handle = os.open(source / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as stream:
            regular = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
            return stream.read(_ENOUGH) if regular else None

    regular = [path for path in paths if stat.S_ISREG((source / path).lstat().st_mode)]
    return _copy([PurePosixPath(path) for path in regular], read, lab, target)


def _from_zip(source: Path, lab: Lab, target: Path) -> str:
    with zipfile.ZipFile(source) as archive:
        entries = {
            PurePosixPath(info.filename): info
            for info in archive.infolist()[:_MAX_ENTRIES]
            if not info.is_dir() and (info.external_attr >> 28) != stat.S_IFLNK >> 12
        }

        def read(path: PurePosixPath) -> bytes | None:
            if entries[path].compress_type not in BOUNDED_COMPRESSION:
                raise ValueError(f"{path.name} is not compressed by deflate: pack it as zip does")
            with archive.open(entries[path]) as stream:
                return stream.read(_ENOUGH)

        return _copy(entries, read, lab, target)


def _from_tar(source: Path, lab: Lab, target: Path) -> str:
    with tarfile.open(source, "r:") as archive:  # no compression: it cannot be a bomb
        entries = {PurePosixPath(info.name): info for info in archive if info.isreg()}

        def read(path: PurePosixPath) -> bytes | None:
            stream = archive.extractfile(entries[path])
            return stream.read(_ENOUGH) if stream else None

        return _copy(entries, read, lab, target)


def _copy(
    paths: Iterable[PurePosixPath],
    read: Callable[[PurePosixPath], bytes | None],
    lab: Lab,
    target: Path,
) -> str:
    known = list(paths)
    for name in (*(rung.file_name for rung in lab.rungs), ANSWERS):
        candidates = [path for path in known if path.name == name]
        if candidates:
            best = min(candidates, key=lambda path: _rank(path, lab))
            if (data := read(best)) is not None:
                (target / name).write_bytes(data)
    return ""


def _rank(path: PurePosixPath, lab: Lab) -> tuple[bool, int, str]:
    """In the lab's own folder first, then near the top, then by name."""
    return path.parent.name != lab.id, len(path.parts), str(path)
