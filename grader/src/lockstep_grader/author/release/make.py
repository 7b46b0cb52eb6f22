# SPDX-License-Identifier: MIT
"""Makes one release: chooses, checks, and writes it."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from lockstep_grader import __version__
from lockstep_grader.author.release.contents import (
    headers_kept_back,
    release_files,
    require_committed,
)
from lockstep_grader.author.release.leaks import find_leaks
from lockstep_grader.author.release.write import (
    require_ours,
    with_manifest,
    write_folder,
    write_zip,
)
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Lab


@dataclass(frozen=True, slots=True)
class Release:
    """What was written, and what an instructor should know of it."""

    folder: Path
    archive: Path | None
    num_files: int
    date: str
    notes: tuple[str, ...]


def release(
    workspace: Workspace, labs: Sequence[Lab], chosen: Sequence[Lab], output: Path, zipped: bool
) -> Release:
    """Writes the students' copy with the labs `chosen` to the folder `output`.

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
    whole = with_manifest(files, __version__, day, [lab.id for lab in chosen])
    write_folder(folder, whole, earlier)
    archive = folder.with_name(f"{folder.name}.zip") if zipped else None
    if archive:
        write_zip(archive, folder.name, whole)
    return Release(folder, archive, len(whole), day, tuple(_notes(labs, chosen)))


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
