# SPDX-License-Identifier: MIT
"""Puts a copy's files into a folder or a zip: the same files give the same bytes."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lockstep_grader.machine.files import Packed, under, write_whole, zipped
from lockstep_grader.model.errors import InputError

MANIFEST = "release.json"
_VERSION = 1
_PROGRAMS = ("lab",)


def with_manifest(
    files: Mapping[str, bytes], version: str, date: str, labs: list[str]
) -> dict[str, bytes]:
    """`files` and release.json, which says what the copy is and the hash of each file in it."""
    manifest = {
        "version": _VERSION,
        "release": version,
        "date": date,
        "labs": labs,
        "files": {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())},
    }
    text = json.dumps(manifest, indent=2) + "\n"
    return {**files, MANIFEST: text.encode("ascii")}


def require_ours(folder: Path) -> tuple[str, ...]:
    """The files that an earlier release wrote there; none when the folder is empty or absent.

    Raises InputError for a folder with other things in it.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is not a folder")
    if not folder.exists() or not any(folder.iterdir()):
        return ()
    try:
        manifest: Any = json.loads((folder / MANIFEST).read_bytes())
        names = tuple(manifest["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder} is not empty, and no release wrote it; choose another --output"
        ) from error
    if any(Path(name).is_absolute() or ".." in Path(name).parts for name in names):
        raise InputError(f"{folder / MANIFEST} names files outside the folder")
    return names


def write_folder(folder: Path, files: Mapping[str, bytes], earlier: tuple[str, ...]) -> None:
    """Writes `files`, and deletes those of an `earlier` release that are no longer part of it.

    Whatever else is there, such as a `.git` folder, stays.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in set(earlier) - set(files):
        (folder / name).unlink(missing_ok=True)
        _drop_empty_folders(folder, folder / name)
    for name, data in sorted(files.items()):
        write_whole(folder / name, data)
        (folder / name).chmod(0o755 if name in _PROGRAMS else 0o644)


def write_zip(target: Path, top: str, files: Mapping[str, bytes]) -> None:
    """Writes `files` to a zip whose one folder is `top`."""
    packed = {name: Packed(data, executable=name in _PROGRAMS) for name, data in files.items()}
    write_whole(target, zipped(under(top, packed)))


def _drop_empty_folders(root: Path, file: Path) -> None:
    for folder in file.parents:
        if folder == root or not folder.is_dir() or any(folder.iterdir()):
            return
        folder.rmdir()
