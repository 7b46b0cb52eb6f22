# SPDX-License-Identifier: MIT
"""Packs a lab's rung files into the zip that a student hands in."""

import io
import zipfile
from pathlib import Path

from lockstep_grader.errors import InputError
from lockstep_grader.files import write_whole
from lockstep_grader.model import Finding, Lab, Rung
from lockstep_grader.submission import Source, read_source

_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files give the same bytes


def pack(folder: Path, lab: Lab, target: Path, force: bool) -> tuple[str, ...]:
    """Writes the lab's rung files under `folder` to `target`; the names of the packed files.

    Raises InputError for a file that is missing or cannot be read and, unless `force`, for one
    that still has a TODO.
    """
    sources = [_source(folder, lab, rung) for rung in lab.rungs]
    unfinished = [source.file_name for source in sources if b"TODO" in source.data]
    if unfinished and not force:
        raise InputError(
            f"still to do: {', '.join(unfinished)}; finish them, or hand in as it is with --force"
        )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for source in sources:
            entry = zipfile.ZipInfo(f"{lab.id}/{source.file_name}", _ZIP_EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, source.data)
    write_whole(target, packed.getvalue())
    return tuple(source.file_name for source in sources)


def _source(folder: Path, lab: Lab, rung: Rung) -> Source:
    source = read_source(folder, lab, rung)
    if isinstance(source, Finding):
        raise InputError(f"{folder / lab.id}: {source.message}")
    return source
