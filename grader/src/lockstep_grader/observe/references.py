# SPDX-License-Identifier: MIT
"""The solutions' workers, which speed tests on a GPU time with the submission's."""

import hashlib
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

from lockstep_grader.compile.worker import compile_rung
from lockstep_grader.intake.submission import read_source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, Lab, Rung
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
        return Workers(
            submission,
            anchors=self._setup.toolchain.anchors,
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
        solutions = self._setup.workspace.solutions
        if not (solutions / lab.id / rung.file_name).exists():
            return None
        source = read_source(solutions, lab, rung)
        if isinstance(source, Finding):
            raise FaultError(f"the reference solution {lab.id}/{rung.id}: {source.message}")
        with self._lock:
            work = self._our_folder() / lab.id / rung.id
        work.mkdir(parents=True, exist_ok=True)
        worker = compile_rung(self._setup.of(lab), source, work)
        if isinstance(worker, Finding):
            raise FaultError(f"the reference solution {lab.id}/{rung.id}: {worker.message}")
        return worker
