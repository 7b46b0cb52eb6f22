# SPDX-License-Identifier: MIT
"""Makes one release: chooses, checks, and writes it. The same files give the same bytes."""

import hashlib
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from lockstep_grader import __version__
from lockstep_grader.author.release.contents import (
    find_leaks,
    headers_kept_back,
    release_files,
    require_committed,
)
from lockstep_grader.machine.files import Packed, read_json, under, write_whole, zipped
from lockstep_grader.machine.workspace import LAST_HINT_WAITS, MANIFEST, Workspace
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Lab, Rung

_VERSION = 1
_PROGRAMS = ("lab",)
_CHECKPOINTS = "checkpoints"


def with_manifest(
    files: Mapping[str, bytes],
    version: str,
    date: str,
    labs: list[str],
    last_hint_waits: bool = False,
) -> dict[str, bytes]:
    """`files` and release.json, which says what the copy is and the hash of each file in it."""
    manifest = {
        "version": _VERSION,
        "release": version,
        "date": date,
        "labs": labs,
        LAST_HINT_WAITS: last_hint_waits,
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
        manifest: Any = read_json(folder / MANIFEST)
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


@dataclass(frozen=True, slots=True)
class Release:
    """What was written, and what an instructor should know of it."""

    folder: Path
    archive: Path | None
    num_files: int
    date: str
    notes: tuple[str, ...]


def release(
    workspace: Workspace,
    labs: Sequence[Lab],
    chosen: Sequence[Lab],
    output: Path,
    *,
    zipped: bool,
    checkpoints: Sequence[tuple[Lab, Rung]] = (),
    last_hint_waits: bool = False,
) -> Release:
    """Writes the students' copy with the labs `chosen` to the folder `output`.

    The solutions of `checkpoints` come with it, next to the starters: later rungs build on them.
    With `last_hint_waits`, `hint` shows a rung's last one only after a check that failed.

    Raises InputError when `output` is not ours to write or a starter is not one, and FaultError
    when a file of the copy holds a piece of a solution.
    """
    if not workspace.solutions.is_dir():
        raise InputError("this is a students' copy: release from the whole repository")
    folder = output.absolute()
    if folder == workspace.root or workspace.root.is_relative_to(folder):
        raise InputError(f"{output} contains this repository; choose another --output")
    earlier = require_ours(folder)
    files = release_files(workspace, labs, chosen)
    require_committed(workspace.root, chosen)
    if leaks := find_leaks(workspace.root, labs, files):
        more = f" (and {len(leaks) - 1} more files)" if len(leaks) > 1 else ""
        raise FaultError(f"nothing was released: {leaks[0]}{more}")
    day = release_date(workspace.root)
    given = {
        f"labs/{lab.id}/{_CHECKPOINTS}/{rung.file_name}": (lab, rung) for lab, rung in checkpoints
    }
    for path, (lab, rung) in given.items():
        mark = f"// checkpoint: {lab.id}/{rung.id} (leave this line in a file that builds on it)\n"
        solution = (workspace.solutions / lab.id / rung.file_name).read_bytes()
        files[path] = mark.encode() + solution
    ids = [lab.id for lab in chosen]
    whole = with_manifest(files, __version__, day, ids, last_hint_waits)
    write_folder(folder, whole, earlier)
    archive = folder.with_name(f"{folder.name}.zip") if zipped else None
    if archive:
        write_zip(archive, folder.name, whole)
    notes = [f"{path} is a solution: release it when its deadline is over" for path in given]
    return Release(folder, archive, len(whole), day, (*_notes(labs, chosen), *notes))


def release_date(root: Path) -> str:
    """The day of the last commit, so that a release made again has the same bytes; else today.

    SOURCE_DATE_EPOCH, as reproducible builds know it, goes before both.
    """
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        if not epoch.isdigit():
            raise InputError(f"SOURCE_DATE_EPOCH is {epoch!r}, not a number of seconds")
        return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    if not (root / ".git").exists():
        return datetime.now(UTC).date().isoformat()
    argv = ["git", "-C", str(root), "log", "-1", "--format=%cs"]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        return date.fromisoformat(done.stdout.strip()).isoformat()
    except (OSError, ValueError, subprocess.CalledProcessError) as error:
        raise FaultError(f"git does not know the day of the last commit: {error}") from error


def _notes(labs: Sequence[Lab], chosen: Sequence[Lab]) -> list[str]:
    """What the copy shows of earlier labs' tasks, and what it keeps for later."""
    notes = []
    for header in dict.fromkeys(header for lab in chosen for header in lab.headers):
        brings = next(lab for lab in chosen if header in lab.headers)
        if brings is not chosen[0]:
            notes.append(
                f"{header} shows how part of an earlier lab is done: "
                f"release {brings.id} when the labs before it have been handed in"
            )
    kept_back = sorted(headers_kept_back(labs, chosen))
    return notes + [f"{header} is kept for a later lab" for header in kept_back]
