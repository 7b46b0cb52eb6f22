# SPDX-License-Identifier: MIT
"""One (submission, rung) job, from source to judgement."""

import functools
import re
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep_grader.catalog import read_labs
from lockstep_grader.compile import compile_rung
from lockstep_grader.errors import FaultError, LockstepError, system_error_line
from lockstep_grader.gpus import GpuPool
from lockstep_grader.judge import EVERY_TEST, Sought, Workers, run_judge
from lockstep_grader.model import Backend, Finding, FindingKind, Judgement, Lab, Rung, TestResult
from lockstep_grader.process import Processes
from lockstep_grader.reference import References
from lockstep_grader.sandbox import UNCONFINED, Confinement, Sandbox
from lockstep_grader.sanitizer import Patient, Sanitizer, sanitize
from lockstep_grader.store import content_key
from lockstep_grader.submission import Source
from lockstep_grader.toolchain import Toolchain, digest
from lockstep_grader.workspace import Workspace

_Stamp = tuple[int, int] | None  # time of the last change, and size
_OWN_IMPORT = re.compile(r"^\s*from lockstep_grader(?:\.([\w.]+))? import (.*)$", re.MULTILINE)
_HOPELESS = frozenset({FindingKind.TODO, FindingKind.TIMEOUT, FindingKind.DEADLOCK})


@dataclass(frozen=True, slots=True)
class Job:
    submission: str
    lab: Lab
    rung: Rung
    read: Callable[[], Source | Finding]  # called once, when the job's turn comes
    sought: Sought = EVERY_TEST
    shards: int = 1  # judges that share the tests on the cpu backend, for one person who waits


class RungJudge:
    """Judges jobs with one toolchain; safe to call from several threads."""

    def __init__(
        self,
        workspace: Workspace,
        toolchain: Toolchain,
        processes: Processes,
        seed: int | None,
        gpus: GpuPool,
        sanitizer: Sanitizer | None = None,
        confinement: Confinement = UNCONFINED,
    ) -> None:
        """`sanitizer` judges cleanliness on a GPU; None leaves that out."""
        self._confinement = confinement
        self._workspace, self._toolchain = workspace, toolchain
        self._processes, self._seed, self._sanitizer = processes, seed, sanitizer
        self._references = References(workspace, toolchain, processes, confinement)
        self._gpus = gpus
        self._stamps: dict[Path, _Stamp] = {}  # of what the keys were made of
        self._lab_digests: dict[str, str] = {}
        self._reserved: set[str] | None = None

    @property
    def backend(self) -> Backend:
        return self._toolchain.backend

    @property
    def seed(self) -> int | None:
        return self._seed

    def key(self, job: Job, source: Source | Finding) -> str:
        """A hash of everything that the job's judgement depends on."""
        self._watch(self._toolchain.files)
        return content_key(
            {
                "source": source.data if isinstance(source, Source) else repr(source),
                "rung": job.rung.id,
                "lab": self._lab_digest(job.lab),
                "toolchain": self._toolchain.digest,
                "grader": _grader_digest(),
                "seed": "secret" if self._seed is None else str(self._seed),
                "sanitizer": self._sanitizer.version if self._sanitizer else "",
                "sandbox": str(isinstance(self._confinement, Sandbox)),
                "beside": self._beside_digest(job),
                "sought": " ".join(job.sought.arguments()),
            }
        )

    def judge(self, job: Job, source: Source | Finding) -> Judgement:
        """Never raises for what the submission or the judge did: a fault is in the judgement."""
        if isinstance(source, Finding):
            return Judgement(findings=(source,))
        started = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="lockstep-") as work:
                judgement = self._judge(job, source, Path(work))
        except FaultError as error:
            judgement = Judgement(fault=str(error))
        except OSError as error:
            judgement = Judgement(fault=system_error_line(error))
        except LockstepError:
            raise
        except Exception as error:  # whatever it is, the rest of the class is graded
            fault = f"a bug in the grader, please report it: {error!r}"
            judgement = Judgement(fault=fault)
        if changed := self._changed():
            judgement = Judgement(fault=f"{changed} changed meanwhile; run the command again")
        return replace(judgement, seconds=time.monotonic() - started)

    def _judge(self, job: Job, source: Source, work: Path) -> Judgement:
        tools = self._toolchain.lab(job.lab.id)
        confinement = self._confinement_of(job.lab)
        worker = compile_rung(self._toolchain, tools, source, work, self._processes, confinement)
        if isinstance(worker, Finding):
            return Judgement(findings=(worker,))
        if self.backend is Backend.CPU:
            workers = Workers(worker, sandbox=tuple(confinement.running(worker)))
            return self._run(job, workers, work)
        beside = self._references.beside(worker, job.lab, job.rung)
        with self._gpus.measuring() as gpu:  # compiles overlap, measurements on one GPU do not
            sandbox = tuple(confinement.running(worker, gpu=gpu))
            judgement = self._run(job, replace(beside, sandbox=sandbox, gpu=gpu), work)
        return self._with_sanitizer(job, judgement, worker, work)

    def _run(self, job: Job, workers: Workers, work: Path) -> Judgement:
        judge = self._toolchain.lab(job.lab.id).judge
        tests, seed = run_judge(
            judge,
            job.rung.id,
            workers,
            self._seed,
            work,
            self._processes,
            job.sought,
            job.shards if self.backend is Backend.CPU else 1,
        )
        return Judgement(tests=tests, seed=seed)

    def _with_sanitizer(
        self, job: Job, judgement: Judgement, worker: Path, work: Path
    ) -> Judgement:
        """`judgement` and what the checkers saw; they also tell why a wrong rung is wrong."""
        if self._sanitizer is None or _is_hopeless(judgement.tests):
            return judgement
        judge = self._toolchain.lab(job.lab.id).judge
        file_name = job.rung.file_name
        seed = int(judgement.seed) if judgement.seed.isdigit() else None
        patient = Patient(
            judge, job.rung.id, file_name, worker, seed, work, self._gpus, self._confinement
        )
        checked = sanitize(self._sanitizer, patient, self._processes)
        return replace(judgement, tests=(*judgement.tests, *checked))

    def _confinement_of(self, lab: Lab) -> Confinement:
        """With the headers hidden that only other labs may use."""
        if not isinstance(self._confinement, Sandbox):
            return self._confinement
        if self._reserved is None:
            labs = read_labs(self._workspace)
            self._reserved = {header for known in labs for header in known.headers}
        common = self._workspace.root / "common" / "cuda"
        hidden = sorted(self._reserved - set(lab.headers))
        return replace(self._confinement, hidden=tuple(common / header for header in hidden))

    def _lab_digest(self, lab: Lab) -> str:
        if lab.id not in self._lab_digests:
            tools = self._toolchain.lab(lab.id)
            given = sorted([*tools.include.glob("*.cuh"), *tools.include.rglob("*.bin")])
            lab_toml = self._workspace.labs / lab.id / "lab.toml"
            files = [tools.judge, tools.calls, lab_toml, *given]
            self._watch(files)
            self._lab_digests[lab.id] = digest(files)
        return self._lab_digests[lab.id]

    def _beside_digest(self, job: Job) -> str:
        """Of the solutions that are timed beside the submission: a ratio is of both."""
        if self.backend is Backend.CPU:
            return ""
        folder = self._workspace.solutions / job.lab.id
        beside = [folder / rung.file_name for rung in (job.lab.rungs[0], job.rung)]
        return digest(file for file in beside if file.is_file())

    def _watch(self, files: Iterable[Path]) -> None:
        for file in files:
            self._stamps.setdefault(file, _stamp(file))

    def _changed(self) -> str:
        """A file whose content is in the keys no longer; empty when there is none."""
        watched = list(self._stamps.items())
        return next((str(file) for file, stamp in watched if _stamp(file) != stamp), "")


def _stamp(file: Path) -> _Stamp:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


@functools.cache
def _grader_digest() -> str:
    """Of this module and all of ours that it imports: another grader may judge otherwise."""
    package = Path(__file__).parent
    found: set[Path] = set()
    queue = [Path(__file__)]
    while queue:
        file = queue.pop()
        if file in found or not file.is_file():
            continue
        found.add(file)
        for module, names in _OWN_IMPORT.findall(file.read_text("utf-8")):
            for name in [module] if module else names.split(", "):
                queue.append(package.joinpath(*name.split(".")).with_suffix(".py"))
    return digest(sorted(found))


def _is_hopeless(tests: Iterable[TestResult]) -> bool:
    """Whether a checker would only wait for what does not end, or is not written yet."""
    return any(finding.kind in _HOPELESS for test in tests for finding in test.findings)
