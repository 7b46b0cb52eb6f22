# SPDX-License-Identifier: MIT
"""Makes a profile: compiles the rung and lets the judge count one call of each size."""

import json
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lockstep_grader.compile.nvcc import compile_for_gpus
from lockstep_grader.intake.submission import Source
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.process import Limits
from lockstep_grader.model.errors import FaultError, InputError, SubmissionError
from lockstep_grader.model.grades import (
    Backend,
    FindingKind,
    Lab,
    Outcome,
    Resources,
    Rung,
)
from lockstep_grader.model.text import one_line
from lockstep_grader.observe.judge import workers_on_cpu
from lockstep_grader.request.job import LabSetup
from lockstep_grader.results.serial import resources_json, toolchain_json
from lockstep_grader.student.profile.cost import MULTIPROCESSORS, diagnose
from lockstep_grader.student.profile.model import SizeProfile, read_size, size_json
from lockstep_grader.student.program.build import source_of, worker_of
from lockstep_grader.toolchain.description import Toolchain
from lockstep_grader.toolchain.nvcc import Phase

_LIMITS = Limits(seconds=900, output_bytes=256 << 20)
_OK, _WRONG = 0, 1
PROFILE_VERSION = 1
_BUDGET_SIZE = 0  # to the judge: the size at which budgets are judged


@dataclass(frozen=True, slots=True)
class Profile:
    lab: Lab
    rung: Rung
    source: Source
    sizes: tuple[SizeProfile, ...]
    resources: tuple[Resources, ...] | str  # or why they are not known

    @property
    def passed(self) -> bool:
        return all(size.outcome is Outcome.PASSED for size in self.sizes)

    def resources_of(self, kernel: str) -> Resources | None:
        """What nvcc says of the kernel that was launched as `kernel`."""
        known = [] if isinstance(self.resources, str) else list(self.resources)
        name = kernel.rpartition("::")[2] if "<" not in kernel else kernel
        exact = [item for item in known if item.kernel.replace(" ", "") == name.replace(" ", "")]
        bare = name.partition("<")[0]
        alike = [item for item in known if item.kernel.partition("<")[0] == bare]
        return exact[0] if exact else alike[0] if len(alike) == 1 else None


def profile_rung(
    session: Session, folder: Path, lab: Lab, rung: Rung, sizes: Sequence[int]
) -> Profile:
    """Counts one call of each size; no size means the one at which budgets are judged.

    Raises SubmissionError when the rung cannot be run, InputError when there is nothing to count,
    FaultError when the judge failed.
    """
    if session.toolchain.backend is not Backend.CPU:
        raise InputError("counters come from the cpu backend: use --backend cpu")
    name = f"{lab.id}/{rung.id}"
    source = source_of(folder, lab, rung)
    with (
        tempfile.TemporaryDirectory(prefix="lockstep-profile-") as temp,
        ThreadPoolExecutor(1) as beside,
    ):
        work = Path(temp)
        measuring = beside.submit(_resources, session, lab, rung, source, work / "nvcc")
        worker = worker_of(session, lab, rung, source, work)
        counted = count(session.setup.of(lab), rung, worker, sizes, work)
        if not counted:
            raise InputError(f"{name} has no workload to profile: its judge checks results alone")
        for size in counted:
            if not size.kernels:
                _complain(name, size)
        return Profile(lab, rung, source, counted, measuring.result())


def _resources(
    session: Session, lab: Lab, rung: Rung, source: Source, work: Path
) -> tuple[Resources, ...] | str:
    """The resources of every kernel on the newest architecture, or why there are none to show."""
    unknown = "registers and local memory: not known,"
    if session.setup.nvcc is None:
        return f"{unknown} {session.toolchain.nvcc['missing']}"
    compiled = compile_for_gpus(session.setup.of(lab), rung, source, work, Phase.RESOURCES)
    if compiled.errors:
        return f"{unknown} nvcc does not compile this file: {compiled.errors[0].message}"
    return tuple(item for item in compiled.resources if item.architecture == rung.architectures[-1])


def count(
    setup: LabSetup, rung: Rung, worker: Path, sizes: Sequence[int], work: Path
) -> tuple[SizeProfile, ...]:
    """One call of each size, as for `profile_rung`; empty when the rung has no workload."""
    listed = ",".join(str(size) for size in sizes or [_BUDGET_SIZE])
    arguments = workers_on_cpu(setup, worker).arguments()
    argv = [str(setup.tools.judge), f"--rung={rung.id}", *arguments, f"--profile={listed}"]
    done = setup.whole.processes.run(argv, _LIMITS, work)
    if done.timed_out:
        raise FaultError(
            f"profiling did not end within {_LIMITS.seconds:.0f} s; try a smaller --size"
        )
    if done.returncode not in (_OK, _WRONG) and "has no workload" in done.output:
        return ()
    if done.returncode not in (_OK, _WRONG):
        raise FaultError(f"the judge cannot profile {rung.id}: {one_line(done.output[-300:])}")
    lines = [line for line in done.output.splitlines() if line.startswith("{")]
    try:
        return tuple(read_size(json.loads(line)) for line in lines)
    except ValueError as error:
        raise FaultError(f"the judge wrote a profile that is not JSON: {error}") from error


def _complain(name: str, size: SizeProfile) -> None:
    """No kernel ran: says why, in one line."""
    if any(
        finding.kind is FindingKind.TODO for finding in size.findings
    ) or size.message.startswith("TODO"):
        raise SubmissionError(f"{name} is not written yet: {one_line(size.message)}")
    if size.outcome is not Outcome.PASSED:
        raise SubmissionError(f"{name} cannot be profiled: {one_line(size.message)}")


def profile_json(profile: Profile, toolchain: Toolchain) -> dict[str, Any]:
    """What `profile --json` writes; schemas/profile.schema.json describes it."""
    known = profile.resources
    sizes = []
    for size in profile.sizes:
        sizes.append(size_json(size))
        for kernel, made in zip(size.kernels, sizes[-1]["kernels"], strict=True):
            told = diagnose(kernel, size.items, MULTIPROCESSORS)
            made["diagnosis"] = {"rule": told.rule, "sentence": told.sentence}
    return {
        "version": PROFILE_VERSION,
        "backend": toolchain.backend.value,
        "toolchain": toolchain_json(toolchain),
        "lab": profile.lab.id,
        "rung": profile.rung.id,
        "sizes": sizes,
        "resources": None if isinstance(known, str) else [resources_json(item) for item in known],
    }
