# SPDX-License-Identifier: MIT
"""nvcc on several rungs of a lab at once: three quarters of its time it reads their headers.

Each rung is in a namespace of its own, after all headers that it includes and no others except
the one for TODOs. g++ compiles each rung alone and refuses a TODO without it. So what nvcc accepts
here without a word, it accepts alone. Anything else is compiled alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from lockstep_grader.compile.nvcc import compile_for_gpus
from lockstep_grader.grading.pool import Shelf, judge_all, result_id
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.rung import RungJudge
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.progress import stage
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, Judgement
from lockstep_grader.request.job import Job
from lockstep_grader.results.store import ResultId
from lockstep_grader.toolchain.nvcc import Phase

_PHASES = frozenset({Phase.DEVICE, Phase.ERRORS})  # RESOURCES are those of one rung
_INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)
_FOR_TODOS = '#include "lab/todo.cuh"'
# Such a text stays what it is inside a namespace: all code is in one namespace lab, and no macro
# or architecture decides what the code is.
_BEGIN = re.compile(r"(?:\s+|//[^\n]*\n|#include [^\n]*\n)*namespace lab \{\n")
_OPEN, _CLOSE = "\nnamespace lab {\n", "\n}  // namespace lab\n"
_ELSEWHERE = re.compile(r"^[ \t]*#[ \t]*(?!include\b|pragma\b)|__CUDA_ARCH__|::lab\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Rung:
    job: Job
    text: str
    headers: frozenset[str]

    @property
    def group(self) -> tuple[str, Sequence[str], bool]:
        rung = self.job.rung
        return self.job.lab.id, rung.architectures, rung.uses_libraries


def accepted_together(
    workspace: Workspace, jobs: Iterable[Job], session: Session, kept: Shelf | None
) -> frozenset[ResultId]:
    """Those of `jobs` that nvcc accepts without a word when it compiles several at once."""
    if session.setup.nvcc is None:
        return frozenset()
    rungs = sorted(_rungs(jobs), key=lambda rung: rung.group)
    chains = [
        chain
        for _, group in groupby(rungs, lambda rung: rung.group)
        for chain in _chains(list(group))
        if len(chain) > 1
    ]
    jobs = [_job(number, chain) for number, chain in enumerate(chains)]
    compiler = _Compiler(session.judge)
    with stage("compiling rungs together") as progress:
        judgements = judge_all(jobs, session, progress, store=kept, judge=compiler)
    return frozenset(
        result_id(rung.job)
        for job, chain in zip(jobs, chains, strict=True)
        if _is_silent(judgements[result_id(job)])
        for rung in chain
    )


def _is_silent(judgement: Judgement) -> bool:
    return not (judgement.findings or judgement.warnings or judgement.fault)


def _rungs(jobs: Iterable[Job]) -> Iterator[_Rung]:
    for job in jobs:
        try:
            source = job.read()
        except FaultError:
            continue  # which its own proof reports
        if job.phase not in _PHASES or isinstance(source, Finding):
            continue
        text = source.data.decode("utf-8", "replace")
        is_plain = _BEGIN.match(text) and text.endswith(_CLOSE) and not _ELSEWHERE.search(text)
        if is_plain and text.count(_OPEN) == text.count(_CLOSE) == 1:
            yield _Rung(job, text, frozenset(_INCLUDE.findall(text)) - {_FOR_TODOS})


def _chains(rungs: Sequence[_Rung]) -> list[list[_Rung]]:
    """Lists in which each rung includes all `headers` of those before it."""
    chains: list[list[_Rung]] = []
    for rung in sorted(rungs, key=lambda rung: (len(rung.headers), sorted(rung.headers))):
        fitting = [chain for chain in chains if chain[-1].headers <= rung.headers]
        if not fitting:
            chains.append([rung])
        else:
            max(fitting, key=lambda chain: len(chain[-1].headers)).append(rung)
    return chains


def _job(number: int, chain: Sequence[_Rung]) -> Job:
    first = chain[0].job
    source = Source("together.cu", "".join(_in_namespaces(chain)).encode())
    phases = {rung.job.phase for rung in chain}
    phase = Phase.DEVICE if phases == {Phase.DEVICE} else Phase.ERRORS
    return Job(f"together {number}", first.lab, first.rung, lambda: source, nvcc=phase)


def _in_namespaces(chain: Iterable[_Rung]) -> Iterator[str]:
    for number, rung in enumerate(chain):
        yield "\n".join(_INCLUDE.findall(rung.text))
        # The contract's types are in ::lab.
        yield f"\nnamespace rung_{number} {{\nnamespace lab {{\nusing namespace ::lab;\n}}\n"
        yield f"{rung.text}}}\n"


class _Compiler:
    """Judges a job by nvcc alone; after a finding, warning or fault the rungs go one by one."""

    def __init__(self, judge: RungJudge) -> None:
        self._setup = judge.setup
        self.backend, self.keys = judge.backend, judge.keys

    def judge(self, job: Job, source: Source | Finding) -> Judgement:
        if isinstance(source, Finding):
            return Judgement(findings=(source,))
        try:
            with TemporaryDirectory(prefix="lockstep-") as work:
                compiled = compile_for_gpus(
                    self._setup.of(job.lab, job.rung),
                    job.rung,
                    source,
                    Path(work) / "nvcc",
                    job.nvcc or Phase.ERRORS,
                )
        except FaultError as error:
            return Judgement(fault=str(error))
        return Judgement(findings=compiled.errors, warnings=compiled.warnings)
