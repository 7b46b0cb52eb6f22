# SPDX-License-Identifier: MIT
"""A rung named by its file, as an editor names it."""

from pathlib import Path

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace


def rung_of_file(workspace: Workspace, file: Path) -> tuple[str, Path] | None:
    """LAB/RUNG and the folder of lab folders, if `file` is a lab's rung: labs/LAB/RUNG.cu."""
    path = file.absolute()
    for lab in read_labs(workspace):
        if lab.id == path.parent.name and path.is_file():
            for rung in lab.rungs:
                if rung.file_name == path.name:
                    return f"{lab.id}/{rung.id}", path.parent.parent
    return None
