# SPDX-License-Identifier: MIT
"""Records the launches that handouts show, from the solutions and the wrong submissions."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from lockstep_grader.author.mutants import read_mutants
from lockstep_grader.judging.session import Session, Wanted, open_session
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend, Lab
from lockstep_grader.student.program.build import source_of, worker_of
from lockstep_grader.student.trace.key_ideas import KeyIdea, read_key_ideas
from lockstep_grader.student.trace.model import find_races
from lockstep_grader.student.trace.page import Trace
from lockstep_grader.student.trace.record import TraceRequest, record_rung
from lockstep_grader.student.trace.still import draw_still


def record_key_ideas(workspace: Workspace, labs: Sequence[Lab]) -> Iterator[tuple[KeyIdea, Trace]]:
    listed = [(lab, idea) for lab in labs for idea in key_ideas_of(workspace, lab)]
    if not listed:
        return
    wanted = sorted({lab.id for lab, _ in listed})
    session = open_session(workspace, Wanted(Backend.CPU, labs=wanted))
    for lab, idea in listed:
        with tempfile.TemporaryDirectory(prefix="lockstep-trace-") as temp:
            yield idea, _recorded(workspace, session, lab, idea, Path(temp))


def key_ideas_of(workspace: Workspace, lab: Lab) -> tuple[KeyIdea, ...]:
    return read_key_ideas(workspace.labs / lab.id / "figures" / "traces.toml")


def still_of(idea: KeyIdea, trace: Trace) -> str:
    return draw_still(trace.recording, trace.cells(), idea)


def _recorded(workspace: Workspace, session: Session, lab: Lab, idea: KeyIdea, work: Path) -> Trace:
    rungs = [rung for rung in lab.rungs if rung.id == idea.rung]
    if not rungs:
        raise FaultError(f"{lab.id}: traces.toml names no rung of it: {idea.rung}")
    folder = _submission(workspace, lab, idea, work)
    source = source_of(folder, lab, rungs[0])
    worker = worker_of(session, lab, rungs[0], source, work)
    wanted = TraceRequest(idea.kernel, idea.seed, idea.size)
    recorded = record_rung(session, lab, rungs[0], wanted, worker, work=work)
    races = tuple(find_races(recorded.recording))
    headers = [file.read_text("utf-8") for file in sorted((workspace.labs / lab.id).glob("*.cuh"))]
    sources = {source.file_name: source.data.decode("utf-8", "replace")}
    name = f"{lab.id}/{idea.rung}"
    return Trace(name, wanted.how(), recorded, sources, tuple(headers), races)


def _submission(workspace: Workspace, lab: Lab, idea: KeyIdea, work: Path) -> Path:
    """The folder of lab folders that has the file."""
    if not idea.mutant:
        return workspace.solutions
    for mutant in read_mutants(workspace, lab):
        if mutant.name == idea.mutant and mutant.text:
            file = work / "wrong" / lab.id / mutant.rung.file_name
            file.parent.mkdir(parents=True)
            file.write_text(mutant.text, "utf-8")
            return work / "wrong"
    raise FaultError(f"{lab.id}: traces.toml names no wrong submission that fits: {idea.mutant}")
