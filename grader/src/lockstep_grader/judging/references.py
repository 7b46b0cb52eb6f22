# SPDX-License-Identifier: MIT
"""The solutions' workers, which speed tests on a GPU time with the submission's."""

import tempfile
import threading
from pathlib import Path

from lockstep_grader.compile.worker import make_worker
from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Lab, Rung
from lockstep_grader.observe.judge import Workers
from lockstep_grader.request.setup import Setup


class References:
    """Compiles a solution's rung once a run, on first use.

    A students' copy has no solutions: its speed tests then lack those ratios.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lock = threading.Lock()
        self._busy: dict[tuple[str, str], threading.Lock] = {}
        self._workers: dict[tuple[str, str], Path | None] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def beside(self, submission: Path, lab: Lab, rung: Rung) -> Workers:
        """`submission`, and all that is timed in the same rounds."""
        return Workers(
            submission,
            anchors=self._setup.toolchain.anchors,
            first=self._worker(lab, lab.rungs[0]),
            first_times=self._folder_of(lab),
            reference=self._worker(lab, rung),
        )

    def _folder_of(self, lab: Lab) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="lockstep-reference-")
            folder = Path(self._folder.name) / lab.id
        folder.mkdir(exist_ok=True)
        return folder

    def _worker(self, lab: Lab, rung: Rung) -> Path | None:
        name = (lab.id, rung.id)
        with self._lock:
            busy = self._busy.setdefault(name, threading.Lock())
        with busy:  # different rungs compile at the same time, each once
            if name not in self._workers:
                self._workers[name] = self._compile(lab, rung)
            return self._workers[name]

    def _compile(self, lab: Lab, rung: Rung) -> Path | None:
        file = self._setup.workspace.solutions / lab.id / rung.file_name
        if not file.exists():
            return None
        work = self._folder_of(lab) / rung.id
        work.mkdir()
        source = Source(rung.file_name, file.read_bytes())  # our own, which needs no examination
        made = make_worker(self._setup.of(lab), source, work)
        if made.worker is None:
            raise FaultError(f"the reference solution {lab.id}/{rung.id}: {made.errors[0].message}")
        return made.worker
