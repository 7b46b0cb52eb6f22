# SPDX-License-Identifier: MIT
"""The solutions' workers, which speed tests on a GPU time with the submission's."""

import hashlib
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

from lockstep_grader.confine.sandbox import Confinement
from lockstep_grader.intake.submission import read_source
from lockstep_grader.judging.compile import compile_rung
from lockstep_grader.judging.judge import Workers
from lockstep_grader.machine.process import Processes
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, Lab, Rung
from lockstep_grader.toolchain.description import Toolchain


class References:
    """Compiles a solution's rung once a run, on first use.

    A students' copy has no solutions: its speed tests then lack those ratios.
    """

    def __init__(
        self,
        workspace: Workspace,
        toolchain: Toolchain,
        processes: Processes,
        confinement: Confinement,
    ) -> None:
        self._solutions, self._toolchain = workspace.solutions, toolchain
        self._processes, self._confinement = processes, confinement
        self._lock = threading.Lock()
        self._busy: dict[tuple[str, str], threading.Lock] = {}
        self._workers: dict[tuple[str, str], Path | None] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def beside(self, submission: Path, lab: Lab, rung: Rung) -> Workers:
        return Workers(
            submission,
            anchors=self._toolchain.anchors,
            first=self._worker(lab, lab.rungs[0]),
            reference=self._worker(lab, rung),
        )

    def on(self, gpu: str, lab: Lab, workers: Workers) -> Workers:
        """`workers` on this GPU. Once per run and GPU a judge times the lab's first rung there."""
        with self._lock:
            folder = self._our_folder() / lab.id
        folder.mkdir(exist_ok=True)
        name = hashlib.sha256(gpu.encode()).hexdigest()[:16]
        return replace(workers, gpu=gpu, first_times=folder / f"first-times-{name}")

    def _our_folder(self) -> Path:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="lockstep-reference-")
        return Path(self._folder.name)

    def _worker(self, lab: Lab, rung: Rung) -> Path | None:
        name = (lab.id, rung.id)
        with self._lock:
            busy = self._busy.setdefault(name, threading.Lock())
        with busy:  # different rungs compile at the same time, each once
            if name not in self._workers:
                self._workers[name] = self._compile(lab, rung)
            return self._workers[name]

    def _compile(self, lab: Lab, rung: Rung) -> Path | None:
        if not (self._solutions / lab.id / rung.file_name).exists():
            return None
        source = read_source(self._solutions, lab, rung)
        if isinstance(source, Finding):
            raise FaultError(f"the reference solution {lab.id}/{rung.id}: {source.message}")
        with self._lock:
            work = self._our_folder() / lab.id / rung.id
        work.mkdir(parents=True, exist_ok=True)
        tools = self._toolchain.lab(lab.id)
        worker = compile_rung(
            self._toolchain, tools, source, work, self._processes, self._confinement
        )
        if isinstance(worker, Finding):
            raise FaultError(f"the reference solution {lab.id}/{rung.id}: {worker.message}")
        return worker
