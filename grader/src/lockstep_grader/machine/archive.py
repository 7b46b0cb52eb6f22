# SPDX-License-Identifier: MIT
"""Archives whose bytes depend only on their contents: fixed times, owners and order."""

import io
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

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
