# SPDX-License-Identifier: MIT
"""Makes archives, good and hostile, and takes them in without judging anything."""

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from lockstep_grader.intake.archives import Spool
from lockstep_grader.intake.catalog import find_lab, read_labs
from lockstep_grader.intake.roster import Roster, read_roster
from lockstep_grader.intake.submission import Submission
from lockstep_grader.intake.take import Class, take_in
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Finding

from conftest import LAB, SOLUTION, Checkout

RUNGS = ("01_first.cu", "02_second.cu")
GOOD = {f"{LAB}/{rung}": SOLUTION for rung in RUNGS}
FLAT = dict.fromkeys(RUNGS, SOLUTION)


def zip_bytes(files: Mapping[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def tar_bytes(files: Mapping[str, str | bytes], links: Mapping[str, str] | None = None) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, text in files.items():
            data = text.encode() if isinstance(text, str) else text
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        for name, target in (links or {}).items():
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = tarfile.SYMTYPE, target
            archive.addfile(entry)
    return packed.getvalue()


def taken(checkout: Checkout, path: Path, *only_labs: str, roster: Path | None = None) -> Class:
    """The class at `path`, on `only_labs` if any are named."""
    labs = read_labs(Workspace.from_environment())
    only = [find_lab(labs, lab) for lab in only_labs]
    spool = Spool(checkout.work / "spool")
    return take_in(path, labs, only, read_roster(roster) if roster else Roster(), spool)


def by_id(taken_in: Class) -> dict[str, Submission]:
    return {submission.id: submission for submission in taken_in.submissions}


def findings(submission: Submission) -> list[Finding | None]:
    """What is wrong with each rung's file; None: nothing."""
    (lab,) = submission.labs
    found = [submission.read(lab, rung) for rung in lab.rungs]
    return [item if isinstance(item, Finding) else None for item in found]


def is_whole(submission: Submission) -> bool:
    return not submission.problem and findings(submission) == [None, None]
