# SPDX-License-Identifier: MIT
"""Takes the wanted files out of an archive, and only them.

Nothing is ever unpacked to a path that the archive chooses: each wanted file goes to a numbered
file in a spool folder of ours. Claimed sizes are not trusted; the bytes are counted as they are
read. Reading a hostile archive may never end, so confined.py runs this module in its own process.
"""

import bz2
import errno
import gzip
import io
import lzma
import stat
import struct
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, NamedTuple, Protocol

from lockstep_grader.model.errors import FaultError, LockstepError, system_error_line
from lockstep_grader.model.text import one_line

_XZ_MEMORY_BYTES = 128 << 20  # as much as `xz -9` needs, with room


class ArchiveError(Exception):
    """What is wrong with an archive: a sentence without its subject."""


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def open_tar_stream(stream: BinaryIO, max_bytes: int) -> io.RawIOBase:
    """The tar in `stream`. Reading raises ArchiveError beyond `max_bytes`."""
    magic = stream.read(6)
    stream.seek(0)
    return _Bounded(_decompressed(stream, magic), max_bytes)


def _decompressed(stream: BinaryIO, magic: bytes) -> _Readable:
    if magic.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=stream)
    if magic.startswith(b"BZh"):
        return bz2.BZ2File(stream)
    if magic == b"\xfd7zXZ\0":
        return _Xz(stream)
    return stream


class _Bounded(io.RawIOBase):
    def __init__(self, inner: _Readable, max_bytes: int) -> None:
        self._inner, self._max_bytes, self._read = inner, max_bytes, 0

    def read(self, size: int = -1, /) -> bytes:
        data = self._inner.read(size if size >= 0 else self._max_bytes + 1)
        self._read += len(data)
        if self._read > self._max_bytes:
            raise ArchiveError(f"unpacks to more than {self._max_bytes >> 20} MiB")
        return data


class _Xz:
    """lzma.LZMAFile would take as much memory as the file asks for."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lzma = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY_BYTES)

    def read(self, size: int, /) -> bytes:
        parts = bytearray()
        while len(parts) < size and not self._lzma.eof:
            fed = self._stream.read(1 << 16) if self._lzma.needs_input else b""
            if self._lzma.needs_input and not fed:
                raise EOFError("it ends in the middle")
            parts += self._lzma.decompress(fed, size - len(parts))
        return bytes(parts)


SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
READ_KINDS = "hand in zip, tar, tar.gz, tar.xz or tar.bz2"
FOREIGN_SUFFIXES = (".rar", ".7z", ".tar.zst", ".gz", ".xz", ".bz2", ".zst", ".lzh", ".cab")
_CHUNK = 1 << 16
# The methods that zipfile unpacks piece by piece; with others it unpacks everything at once, of any
# size.
BOUNDED_COMPRESSION = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_FOREIGN_MAGIC = {b"7z\xbc\xaf": "7z", b"Rar!": "rar", b"\x28\xb5\x2f\xfd": "zst"}
_MAX_PATH = 4096  # as long as Linux lets a path be
_ZIP_TAIL = 22 + 65535  # where the end record of a zip must begin


class _NoArchiveError(Exception):
    """The bytes are not those of an archive."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits for reading an archive."""

    entries: int
    file_bytes: int  # the largest wanted file
    unpacked_bytes: int  # of a tar all that it unpacks to, of a zip what is wanted of it
    cpu_seconds: int  # of the processor


STUDENT_BOUNDS = Bounds(200_000, file_bytes=1 << 20, unpacked_bytes=64 << 20, cpu_seconds=20)
CLASS_BOUNDS = Bounds(500_000, file_bytes=64 << 20, unpacked_bytes=16 << 30, cpu_seconds=1200)


class Member(NamedTuple):
    """One entry. Its bytes lie in `stored`; a wanted one without them says why in `problem`."""

    where: str  # in the archive
    is_folder: bool = False
    stored: str = ""
    problem: str = ""
    is_outside: bool = False  # the path would lead out of the archive's own folder
    modified: float = 0.0  # when, as the archive says, in seconds of the clock that made it

    @property
    def path(self) -> PurePosixPath:
        return PurePosixPath(self.where)


@dataclass(slots=True)
class Spool:
    """Numbered files in a folder of ours."""

    folder: Path
    count: int = 0

    def store(self, stream: IO[bytes], max_bytes: int) -> Path | None:
        """The rest of `stream` as a file; None when it is longer than `max_bytes`."""
        file = self.folder / f"{self.count:06}"
        self.count += 1
        left = max_bytes
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            target = file.open("wb")
        except OSError as error:
            raise FaultError(f"cannot write {system_error_line(error)}") from error
        with target:
            while chunk := stream.read(min(_CHUNK, left + 1)):
                left -= len(chunk)
                if left < 0:
                    break
                _write(target, chunk)
        if left < 0:
            file.unlink()
            return None
        return file


def stem(name: str) -> str | None:
    """The name of an archive without its suffix; None when it is not an archive that we read."""
    return _without_suffix(name, SUFFIXES)


def foreign_stem(name: str) -> str | None:
    """The name of an archive of a kind that we do not read, without its suffix; None otherwise."""
    return None if stem(name) else _without_suffix(name, FOREIGN_SUFFIXES)


def is_foreign(name: str) -> bool:
    return foreign_stem(name) is not None


def _without_suffix(name: str, suffixes: Sequence[str]) -> str | None:
    """None for a name that has none of the suffixes, and nothing else."""
    found = [end for end in suffixes if name.lower().endswith(end) and len(name) > len(end)]
    return name[: -max(map(len, found))] if found else None


def read_members(
    file: Path, wanted: Callable[[str], bool], spool: Spool, bounds: Bounds
) -> tuple[Member, ...]:
    """Every entry of the archive; those whose name is `wanted` with their bytes.

    Raises ArchiveError, a sentence about the archive without its name, when it is damaged or
    beyond `bounds`; OSError when the file itself cannot be read.
    """
    with file.open("rb") as stream:
        if not (magic := stream.read(4)):
            raise ArchiveError("is an empty file of 0 bytes")
        stream.seek(0)
        if kind := _FOREIGN_MAGIC.get(magic):
            raise ArchiveError(f"is a {kind} archive, which is not read; {READ_KINDS}")
        read = _read_zip if magic[:2] == b"PK" else _read_tar
        try:
            return _without_doubles(tuple(read(stream, wanted, spool, bounds)), wanted)
        except (LockstepError, ArchiveError):
            raise
        except OSError as error:
            if error.errno and error.errno != errno.EINVAL:  # a place before the file's beginning
                raise
            raise ArchiveError(f"is damaged: {one_line(str(error))}") from error
        except MemoryError as error:
            raise ArchiveError("takes more memory than an archive should") from error
        except _NoArchiveError as error:
            raise ArchiveError("is neither a zip nor a tar archive, whatever its name") from error
        except Exception as error:  # the libraries raise a dozen kinds on hostile bytes
            reason = one_line(str(error)) or type(error).__name__
            raise ArchiveError(f"is damaged: {reason[:200]}") from error


def _read_zip(
    stream: BinaryIO, wanted: Callable[[str], bool], spool: Spool, bounds: Bounds
) -> Iterator[Member]:
    _check_directory(stream, bounds)
    left = bounds.unpacked_bytes
    with zipfile.ZipFile(stream) as archive:
        entries = archive.infolist()
        _check_count(len(entries), bounds)
        for entry in entries:
            member = _member(entry.filename, entry.is_dir(), _time_of(entry))
            mode = entry.external_attr >> 16
            is_plain = stat.S_IFMT(mode) in (0, stat.S_IFREG, stat.S_IFDIR)
            problem = _kind_problem(is_plain=is_plain, is_link=stat.S_ISLNK(mode))
            if entry.flag_bits & 1:
                problem = "is encrypted"
            elif entry.compress_type not in BOUNDED_COMPRESSION:
                problem = "is compressed in a way that is not read"
            if not _is_to_be_stored(member, wanted) or problem:
                yield member._replace(problem=problem)
                continue
            with archive.open(entry) as data:
                stored = _stored(member, data, spool, min(bounds.file_bytes, left))
            if stored.problem and left < bounds.file_bytes:
                raise ArchiveError(f"unpacks to more than {bounds.unpacked_bytes >> 20} MiB")
            left -= Path(stored.stored).stat().st_size if stored.stored else 0
            yield stored


def _read_tar(
    stream: BinaryIO, wanted: Callable[[str], bool], spool: Spool, bounds: Bounds
) -> Iterator[Member]:
    unpacked = open_tar_stream(stream, bounds.unpacked_bytes)
    with _opened_tar(unpacked) as archive:
        for count, entry in enumerate(archive, 1):
            _check_count(count, bounds)
            if entry.size < 0:
                raise ArchiveError("is damaged: an entry has a negative size")
            archive.members.clear()  # type: ignore[attr-defined]  # it would keep them all
            member = _member(entry.name, entry.isdir(), float(entry.mtime))
            is_plain, is_link = entry.isreg() or entry.isdir(), entry.issym() or entry.islnk()
            problem = _kind_problem(is_plain=is_plain, is_link=is_link)
            data = archive.extractfile(entry) if not problem and entry.isreg() else None
            if data is None or not _is_to_be_stored(member, wanted):
                yield member._replace(problem=problem)
            else:
                yield _stored(member, data, spool, bounds.file_bytes)


def _opened_tar(unpacked: io.RawIOBase) -> tarfile.TarFile:
    """Opens at the first header, without which nothing shows that this is a tar."""
    try:
        return tarfile.open(fileobj=unpacked, mode="r|")
    except tarfile.ReadError as error:
        raise _NoArchiveError from error


def _time_of(entry: zipfile.ZipInfo) -> float:
    """A zip's times have no zone; they are only ever compared with each other."""
    try:
        return time.mktime((*entry.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0


def _stored(member: Member, data: IO[bytes], spool: Spool, max_bytes: int) -> Member:
    stored = spool.store(data, max_bytes)
    problem = "" if stored else f"is larger than {max_bytes / (1 << 20):.3g} MiB"
    return member._replace(stored=str(stored or ""), problem=problem)


def _member(name: str, is_folder: bool, modified: float) -> Member:
    if len(name) > _MAX_PATH:
        return Member("...", is_folder, is_outside=True)
    path = name.replace("\\", "/")  # as some programs on Windows write it
    parts = [part for part in path.split("/") if part not in ("", ".")]
    has_drive = len(path) > 1 and path[1] == ":"
    is_outside = path.startswith("/") or has_drive or ".." in parts
    where = str(PurePosixPath(*parts))
    return Member(where, is_folder, is_outside=is_outside, modified=modified)


def _is_to_be_stored(member: Member, wanted: Callable[[str], bool]) -> bool:
    return not member.is_folder and not member.is_outside and wanted(member.path.name)


def _kind_problem(*, is_plain: bool, is_link: bool) -> str:
    return "" if is_plain else "is a link" if is_link else "is not a regular file"


def _check_count(count: int, bounds: Bounds) -> None:
    if count > bounds.entries:
        raise ArchiveError(f"holds more than {bounds.entries} entries")


def _check_directory(stream: BinaryIO, bounds: Bounds) -> None:
    """Looks at the size of a zip's table of contents before a library reads all of it."""
    size = stream.seek(0, 2)
    start = stream.seek(max(0, size - _ZIP_TAIL - 76))  # a zip64 end record and its locator
    tail = stream.read()
    end = tail.rfind(b"PK\5\6")
    if end < 0 or len(tail) < end + 22:
        raise ArchiveError("is damaged: it ends before its table of contents")
    (directory_bytes,) = struct.unpack_from("<L", tail, end + 12)
    if tail[max(0, end - 20) : end].startswith(b"PK\6\7"):
        (record,) = struct.unpack_from("<Q", tail, end - 12)
        if not start <= record <= start + end - 56:
            raise ArchiveError("is damaged: its table of contents is not where it says")
        (directory_bytes,) = struct.unpack_from("<Q", tail, record - start + 40)
    stream.seek(0)
    if directory_bytes > bounds.entries * 512:
        raise ArchiveError(f"holds more than {bounds.entries} entries")


def _without_doubles(
    members: tuple[Member, ...], wanted: Callable[[str], bool]
) -> tuple[Member, ...]:
    """Takes no file that appears twice, or under names that differ only in case."""
    names: dict[str, list[str]] = {}
    for member in members:
        if not member.is_folder:
            names.setdefault(str(member.path).casefold(), []).append(str(member.path))

    def checked(member: Member) -> Member:
        same = names.get(str(member.path).casefold(), [])
        if member.is_folder or len(same) < 2 or not wanted(member.path.name):
            return member
        twice = len(set(same)) < len(same)
        problem = "is there twice" if twice else "is there under names that differ in case alone"
        return member._replace(stored="", problem=problem)

    return tuple(checked(member) for member in members)


def _write(target: IO[bytes], chunk: bytes) -> None:
    try:
        target.write(chunk)
    except OSError as error:
        raise FaultError(f"cannot write {target.name}: {error.strerror}") from error
