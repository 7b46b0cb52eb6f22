# SPDX-License-Identifier: MIT
"""Makes a recording: of a program with a main() of its own, or of a rung that its judge calls."""

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep_grader.intake.submission import Source, read_source
from lockstep_grader.judging.compile import compile_rung
from lockstep_grader.judging.judge import workers_on_cpu
from lockstep_grader.judging.session import Session
from lockstep_grader.machine.process import Limits
from lockstep_grader.machine.progress import said_if_slow
from lockstep_grader.model.errors import FaultError, InputError, SubmissionError
from lockstep_grader.model.grades import Finding, FindingKind, Lab, Rung
from lockstep_grader.model.text import one_line, visible
from lockstep_grader.student.program.run import Ran, Settings, run_program
from lockstep_grader.student.trace.model import Recording, read_recording

DEFAULT_SIZE = 256
_SECONDS = 300.0  # unless the caller chooses
_OUTPUT_BYTES = 64 << 20
_DATA_SEED = 1  # the same input for every order


@dataclass(frozen=True, slots=True)
class Wish:
    """What to record. A `kernel` of "" is the first that is launched."""

    kernel: str = ""
    seed: int = 0  # of the order of threads
    size: int = DEFAULT_SIZE
    one_by_one: bool = False  # the lanes of a warp, as in `./lab run`


@dataclass(frozen=True, slots=True)
class Recorded:
    recording: Recording
    message: str = ""  # how the run failed, if it did
    is_late: bool = False  # it was ended at the time limit
    has_size: bool = True  # Wish.size counted


Recorder = Callable[[Wish], Recorded]


def recorder_of_program(
    program: Path, arguments: Sequence[str], settings: Settings, work: Path, name: str
) -> Recorder:
    """Records runs of `program`; the first has the caller's input and output."""
    has_run = False

    def record(wish: Wish) -> Recorded:
        nonlocal has_run
        output = subprocess.DEVNULL if has_run else None
        has_run = True
        ran = run_program(
            program,
            arguments,
            replace(settings, seed=wish.seed, record=wish.kernel, one_by_one=wish.one_by_one),
            work,
            name,
            output,
        )
        if ran.recording is None:
            raise _nothing(wish, ran.launches, _why(ran))
        is_late = bool(ran.findings) and ran.findings[-1].kind is FindingKind.TIMEOUT
        return Recorded(read_recording(ran.recording), _why(ran), is_late and ran.status is None)

    return record


def _why(ran: Ran) -> str:
    if ran.findings:
        finding = ran.findings[-1]
        return f"{finding.kind}: {finding.message}"
    return f"the program ended with status {ran.status}" if ran.status else ""


def recorder_of_rung(
    session: Session, lab: Lab, rung: Rung, worker: Path, work: Path, seconds: float = _SECONDS
) -> Recorder:
    """Records calls of the rung, all with the same input."""
    judge = session.toolchain.lab(lab.id).judge
    workers = workers_on_cpu(session.toolchain, worker, session.confinement)

    def record(wish: Wish) -> Recorded:
        argv = [str(judge), f"--rung={rung.id}", *workers.arguments(), f"--seed={_DATA_SEED}"]
        argv += [f"--record={wish.size}", f"--kernel={wish.kernel}", f"--order={wish.seed}"]
        argv += ["--one-by-one"] if wish.one_by_one else []
        call = f"the call of {lab.id}/{rung.id} with {wish.size} items"
        slow = f"{call} takes long: try a smaller --size; it is ended after {seconds:g} s"
        with said_if_slow(slow):
            done = session.processes.run(
                argv, Limits(seconds=seconds, output_bytes=_OUTPUT_BYTES), work
            )
        if done.timed_out:
            raise SubmissionError(
                f"{call} did not end within {seconds:g} s: try a smaller --size, or a longer "
                "--timeout"
            )
        lines = [line for line in done.output.splitlines() if line.startswith('{"recording"')]
        if not lines:
            raise FaultError(f"the judge cannot record {rung.id}: {one_line(done.output[-300:])}")
        said = json.loads(lines[-1])
        message = visible(str(said["message"]))
        if not said["recording"]:
            if said["kind"] == FindingKind.TODO:
                raise SubmissionError(f"{lab.id}/{rung.id} is not written yet: {one_line(message)}")
            raise _nothing(wish, [visible(str(name)) for name in said["launches"]], message)
        recording = read_recording(said["recording"])
        return Recorded(recording, message, has_size=bool(said["has_size"]))

    return record


def compiled_rung(
    session: Session, folder: Path, lab: Lab, rung: Rung, work: Path
) -> tuple[Source, Path]:
    """The rung's source and its worker. Raises SubmissionError."""
    name = f"{lab.id}/{rung.id}"
    source = read_source(folder, lab, rung)
    if isinstance(source, Finding):
        raise SubmissionError(f"{name}: {source.message}")
    tools = session.toolchain.lab(lab.id)
    worker = compile_rung(
        session.toolchain, tools, source, work, session.processes, session.confinement
    )
    if isinstance(worker, Finding):
        where = f"{worker.file}:{worker.line}: " if worker.line else ""
        raise SubmissionError(f"{name} does not compile: {where}{one_line(worker.message)}")
    return source, worker


def _nothing(wish: Wish, launches: Sequence[str], message: str) -> InputError | SubmissionError:
    """Why there is no recording, in one line."""
    if wish.kernel and launches:
        known = ", ".join(launches)
        return InputError(f"no kernel {wish.kernel} is launched; --kernel can be one of: {known}")
    if message:
        return SubmissionError(f"no launch could be recorded: {one_line(message)}")
    return InputError("no kernel was launched, so there is nothing to trace")
