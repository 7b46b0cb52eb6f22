# SPDX-License-Identifier: MIT
"""The confinement of each lab's rungs: some headers of common/cuda come with other labs only."""

import threading
from dataclasses import replace
from pathlib import Path

from lockstep_grader.confine.sandbox import Confinement, Sandbox
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Lab


class LabConfinement:
    """One confinement per lab; safe to use from several threads."""

    def __init__(self, workspace: Workspace, confinement: Confinement) -> None:
        self._workspace, self._confinement = workspace, confinement
        self._lock = threading.Lock()
        self._reserved: frozenset[str] | None = None

    def of(self, lab: Lab) -> Confinement:
        if not isinstance(self._confinement, Sandbox):
            return self._confinement
        return replace(self._confinement, hidden=self._hidden_from(lab))

    def words(self, lab: Lab) -> str:
        """What the key of a result says about the confinement."""
        confinement = self.of(lab)
        if not isinstance(confinement, Sandbox):
            return "none"
        return " ".join(["sandbox", *(file.name for file in confinement.hidden)])

    def _hidden_from(self, lab: Lab) -> tuple[Path, ...]:
        with self._lock:
            if self._reserved is None:
                labs = read_labs(self._workspace)
                self._reserved = frozenset(header for known in labs for header in known.headers)
        common = self._workspace.root / "common" / "cuda"
        return tuple(common / header for header in sorted(self._reserved - set(lab.headers)))
