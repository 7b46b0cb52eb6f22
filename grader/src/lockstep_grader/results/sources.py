# SPDX-License-Identifier: MIT
"""What a results folder keeps of a submission: sources as they were judged, and pictures."""

from pathlib import Path

from lockstep_grader.intake.submission import Source, read_file


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
