# SPDX-License-Identifier: MIT
"""Makes a recording: of a program with a main() of its own, or of a rung that its judge calls. The
launches that a lab's handout shows are in `labs/NN-slug/figures/traces.toml`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from lockstep_grader.intake.toml_tables import Table, read_table
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.process import Limits
from lockstep_grader.machine.progress import said_if_slow
from lockstep_grader.model.errors import FaultError, InputError, SubmissionError
from lockstep_grader.model.grades import Finding, FindingKind, Lab, Rung
from lockstep_grader.model.score import causes_first
from lockstep_grader.model.text import count_of, one_line, visible
from lockstep_grader.observe.judge import workers_on_cpu
from lockstep_grader.student.program.run import Ran, Settings, run_program
from lockstep_grader.student.trace.model import ACCESSES, Recording, read_recording
from lockstep_grader.words.likely import with_names

DEFAULT_SIZE = 256
_OUTPUT_BYTES = 64 << 20
_DATA_SEED = 1  # the same input for every order
_KINDS = {verb.split()[0].removesuffix("s"): kind for kind, verb in ACCESSES.items()}
_KINDS |= {"barrier": "b", "finding": "f", "operation": "o"}


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """What to record. A `kernel` of "" is the first that is launched."""

    kernel: str = ""
    seed: int = 0  # of the order of threads; with `test`, that of the check
    size: int = DEFAULT_SIZE  # with `test`, of its case that failed; 0: of any
    test: str = ""  # of a rung: its first fault is recorded, in place of a call of the workload

    def how(self) -> str:
        if self.test:
            size = f" with {count_of(self.size, 'item')}" if self.size else ""
            return f"as in the test {self.test}{size} of a check with the seed {self.seed}"
        return f"in the order of --seed {self.seed}" if self.seed else ""


@dataclass(frozen=True, slots=True)
class Recorded:
    recording: Recording
    message: str = ""  # how the run failed, if it did
    has_size: bool = True  # TraceRequest.size counted

    def with_names(self, sources: Mapping[str, str]) -> "Recorded":
        """Its findings call device memory by the variable that holds it."""
        texts = {name: text.splitlines() for name, text in sources.items()}
        findings = tuple(
            replace(found, message=with_names(found.message, texts))
            for found in self.recording.findings
        )
        recording = replace(self.recording, findings=findings)
        return replace(self, recording=recording, message=with_names(self.message, texts))


def record_program(
    program: Path,
    arguments: Sequence[str],
    settings: Settings,
    request: TraceRequest,
    *,
    work: Path,
    name: str,
) -> Recorded:
    """Runs the program with the caller's input and output."""
    settings = replace(settings, seed=request.seed, record=request.kernel)
    ran = run_program(program, arguments, settings, work, name=name)
    if ran.recording is None:
        raise _nothing(request, ran.launches, _why(ran))
    return Recorded(read_recording(ran.recording), _why(ran))


def _why(ran: Ran) -> str:
    if ran.findings:
        finding = ran.findings[-1]
        return f"{finding.kind}: {finding.message}"
    return f"the program ended with status {ran.status}" if ran.status else ""


def record_rung(
    session: Session,
    lab: Lab,
    rung: Rung,
    request: TraceRequest,
    worker: Path,
    *,
    work: Path,
    seconds: float,
) -> Recorded:
    """Has the judge record a call of the rung's workload, or a fault that a test found."""
    workers = workers_on_cpu(session.setup.of(lab, rung), worker)
    argv = [str(session.toolchain.lab(lab.id).judge), f"--rung={rung.id}", *workers.arguments()]
    argv += [f"--record={request.size}", f"--kernel={request.kernel}"]
    if request.test:
        argv += [f"--seed={request.seed}", "--replay", f"--gtest_filter={request.test}"]
        call = f"the test {request.test} of {lab.id}/{rung.id}"
    else:
        argv += [f"--seed={_DATA_SEED}", f"--order={request.seed}"]
        call = f"the call of {lab.id}/{rung.id} with {request.size} items"
    slow = f"{call} takes long: try a smaller --size; it is ended after {seconds:g} s"
    with said_if_slow(slow):
        done = session.setup.processes.run(
            argv, Limits(seconds=seconds, output_bytes=_OUTPUT_BYTES), work
        )
    if done.timed_out:
        raise SubmissionError(
            f"{call} did not end within {seconds:g} s: try a smaller --size, or a longer --timeout"
        )
    lines = [line for line in done.output.splitlines() if line.startswith('{"recording"')]
    if not lines:
        raise FaultError(f"the judge cannot record {rung.id}: {one_line(done.output[-300:])}")
    said, cause = _telling([json.loads(line) for line in lines])
    message = visible(str(said["message"]))
    if not said["recording"]:
        if said["kind"] == FindingKind.TODO:
            raise SubmissionError(f"{lab.id}/{rung.id} is not written yet: {one_line(message)}")
        raise _nothing(request, [visible(str(name)) for name in said["launches"]], message)
    recording = read_recording(said["recording"])
    shown = {(found.kind, found.line) for found in recording.findings}
    if cause and (cause.kind, cause.line) not in shown:  # a leak, say, is of no launch
        line = f" in line {cause.line}" if cause.line else ""
        message = f"{cause.kind}{line}: {cause.message}"
    return Recorded(recording, message, has_size=bool(said["has_size"]))


def _telling(said: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], Finding | None]:
    """Of several recordings, each with findings that the others lack: the one that shows the cause,
    and the cause, which is what a check shows."""
    found = [
        (each, Finding(FindingKind(item["kind"]), visible(item["message"]), "", int(item["line"])))
        for each in said
        for item in each["findings"]
    ]
    cause = next(iter(causes_first(finding for _, finding in found)), None)
    return next(((each, cause) for each, finding in found if finding == cause), (said[0], None))


def _nothing(
    request: TraceRequest, launches: Sequence[str], message: str
) -> InputError | SubmissionError:
    """Why there is no recording, in one line."""
    if request.test and not launches and not message:
        return InputError(
            f"no launch of the test {request.test} was recorded: give --test, --size and --seed as "
            "the check printed them"
        )
    if request.kernel and launches:
        known = ", ".join(launches)
        return InputError(
            f"no kernel {request.kernel} is launched; --kernel can be one of: {known}"
        )
    if message:
        return SubmissionError(f"no launch could be recorded: {one_line(message)}")
    return InputError("no kernel was launched, so there is nothing to trace")


class KeyIdea(Table):
    lab: str = ""  # whose file lists it
    name: str  # its still is figures/trace_NAME.svg, its page traces/NAME.html
    rung: str
    mutant: str = ""  # empty: the solution itself
    size: int
    kernel: str = ""
    seed: int = 0
    alt: str
    # The still shows such a moment.
    moment: Literal["read", "write", "update", "operation", "barrier", "finding"]
    block: int = 0
    warp: int = -1  # any, as for `array`
    array: str = ""
    nth: int = 1  # of these moments, from 1; or from -1, which is the last
    diverged: bool = False  # only moments at which the warp has diverged
    # What the still shows of its moment.
    arrays: tuple[str, ...] = ()  # by name; empty: the one that is accessed
    warps: bool = True
    access: bool = False  # lanes against sectors or banks
    timeline: bool = True

    @property
    def still(self) -> str:
        return f"trace_{self.name}.svg"

    @property
    def page(self) -> str:
        return f"trace_{self.name}.html"

    @property
    def command(self) -> str:
        """Replays the same launch of a student's own file. Without --kernel it is the first one."""
        kernel = f" --kernel {self.kernel}" if self.kernel else ""
        seed = f" --seed {self.seed}" if self.seed else ""
        return f"./lab trace {self.lab}/{self.rung} --size {self.size}{kernel}{seed}"

    def moment_in(self, recording: Recording, names: Sequence[str]) -> int:
        """Where the still is taken. `names` are those of the arrays.

        Raises FaultError where the recording has no such moment.
        """
        found = [
            index
            for index, moment in enumerate(recording.moments)
            if moment.kind == _KINDS[self.moment]
            and moment.block == self.block
            and self.warp in (-1, moment.warp)
            and (not self.array or (moment.access and names[moment.access.array] == self.array))
            and (not self.diverged or moment.is_diverged)
        ]
        if not 0 < abs(self.nth) <= len(found):
            known = ", ".join(sorted(set(names)))
            raise FaultError(
                f"{self.lab}: the trace {self.name} has {len(found)} such moments, not {self.nth}; "
                f"its arrays: {known}"
            )
        return found[self.nth - 1 if self.nth > 0 else self.nth]


class _File(Table):
    trace: tuple[KeyIdea, ...]


def read_key_ideas(file: Path) -> tuple[KeyIdea, ...]:
    """Raises FaultError. A lab without the file shows none."""
    if not file.is_file():
        return ()
    try:
        listed = read_table(file, _File).trace
    except InputError as error:
        raise FaultError(str(error)) from error
    return tuple(idea.model_copy(update={"lab": file.parents[1].name}) for idea in listed)
