# SPDX-License-Identifier: MIT
"""The bytes of a tar, whatever it is compressed with, up to a limit on bytes and on memory."""

import bz2
import gzip
import io
import lzma
from typing import BinaryIO, Protocol

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
