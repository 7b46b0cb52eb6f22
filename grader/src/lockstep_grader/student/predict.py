# SPDX-License-Identifier: MIT
"""Predict, then measure: which predictions of a student are open, and what became of the others.

The emulator counts the student's own file, in a call of the size that was drawn for the student.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lockstep_grader.judging.session import Session
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError, SubmissionError
from lockstep_grader.model.grades import Backend, Lab, Outcome, Rung
from lockstep_grader.model.measures import RESIDENT_BLOCKS, TIME_US, TOTALS, figure
from lockstep_grader.model.quiz import Answered, Forecast, Kind, Mark, Prediction, asked, filled
from lockstep_grader.model.text import count_of, one_line
from lockstep_grader.quiz.file import Answers, answers_file, fresh, read_answers, write_answers
from lockstep_grader.quiz.predict import read_predictions
from lockstep_grader.quiz.score import Predictions
from lockstep_grader.student import state
from lockstep_grader.student.check import Checked
from lockstep_grader.student.profile.cost import passes
from lockstep_grader.student.profile.run import SizeProfile, count, profile_rung
from lockstep_grader.student.profile.timing import predicted, read_device, sentence
from lockstep_grader.student.program.build import source_of, worker_of

_NAMED_LINES = 2
_NEXT = ("", ".2")  # the places of a measure: the line with the most of it, and the next


@dataclass(frozen=True, slots=True)
class Counted:
    value: str
    place: str = ""  # the lines that contribute most, or what limits a time


@dataclass(frozen=True, slots=True)
class Notebook:
    """A student's predictions of a lab, in the file next to the rungs."""

    file: Path
    quiz: Forecast
    answers: Answers

    @classmethod
    def of(cls, folder: Path, quiz: Forecast) -> "Notebook":
        """Raises InputError for a file that cannot be read."""
        file = answers_file(folder, quiz)
        return cls(file, quiz, read_answers(file, quiz) if file.is_file() else fresh(quiz))

    def open_of(self, rung: Rung) -> list[str]:
        """The ids of what is not predicted yet."""
        questions = self.quiz.of_rung(rung.id).questions
        return [each.id for each in questions if not self.answers.given.get(each.id)]

    def is_whole(self, rung: Rung) -> bool:
        return bool(self.quiz.of_rung(rung.id).questions) and not self.open_of(rung)

    def with_answers(self, answers: Answers) -> "Notebook":
        """Writes them."""
        write_answers(self.file, answers, self.quiz.sheet)
        return replace(self, answers=answers)


def invitation(workspace: Workspace, folder: Path, lab: Lab, rungs: Sequence[Rung]) -> str:
    """One line for a student who is about to see counters without having predicted them.

    Empty: nothing is open, or the counters are known, or the files are not this student's.
    """
    try:
        notebook = _own(workspace, folder, lab)
    except InputError as error:
        return f"predictions: {error}"
    if notebook is None:
        return ""
    known = state.right_rungs(workspace.state, lab)
    for rung in rungs:
        if (left := len(notebook.open_of(rung))) and rung.id not in known:
            command = f"./lab predict {lab.id}/{rung.id}"
            return f"predict first: {command} asks {count_of(left, 'question')}"
    return ""


def _own(workspace: Workspace, folder: Path, lab: Lab) -> Notebook | None:
    """This student's; None for the files of others, or where the lab has no predictions."""
    quiz = read_predictions(workspace, lab) if folder.resolve() == workspace.labs else None
    return Notebook.of(folder, quiz) if quiz else None


def show_after(console: Console, workspace: Workspace, session: Session, checked: Checked) -> None:
    """After a check: the table of each rung that is right and whose counts are all predicted."""
    try:
        notebook = _own(workspace, checked.folder, checked.lab)
    except InputError:  # the invitation has said so
        return
    results = zip(checked.rungs, checked.result.rungs, strict=True)
    right = [rung for rung, result in results if result.judgement.is_right]
    if notebook is None:
        return
    for rung in filter(notebook.is_whole, right):
        if session.toolchain.backend is not Backend.CPU:
            said = f"./lab predict {checked.lab.id}/{rung.id} counts what you predicted"
            console.print(Text(said, "dim"), soft_wrap=True)
            continue
        try:
            notebook = compare(console, session, checked.lab, rung, notebook)
        except (InputError, SubmissionError, FaultError) as error:  # the verdict stands without it
            console.print(Text(f"predictions: {error}", "dim"))


def compare(
    console: Console, session: Session, lab: Lab, rung: Rung, notebook: Notebook
) -> Notebook:
    """Counts the rung, shows what was predicted and what is counted, and keeps the counts.

    Raises SubmissionError for a rung that is not right in this call.
    """
    part = notebook.quiz.of_rung(rung.id)
    first = part.questions[0]
    folder = notebook.file.parents[1]
    case = asked(part, first, notebook.answers.seed).case
    size = _counted_call(session, folder, lab, rung, first.size(case))
    found = {
        each.id: _timed(session, folder, lab, rung)
        if each.quantity == TIME_US
        else _counted(each, size)
        for each in part.questions
    }
    values = {name: each.value for name, each in found.items()}
    counted = {**notebook.answers.counted, **values}
    notebook = notebook.with_answers(replace(notebook.answers, counted=counted))
    answers = Predictions(part).result(notebook.answers).answers
    call = filled(first.call, first.cases[case])
    console.print(Text(f"predicted and counted, in a call with {call}", "bold"))
    _print_table(console, rung, answers, found)
    return notebook


def _counted_call(session: Session, folder: Path, lab: Lab, rung: Rung, items: int) -> SizeProfile:
    name = f"{lab.id}/{rung.id}"
    source = source_of(folder, lab, rung)
    with tempfile.TemporaryDirectory(prefix="lockstep-predict-") as temp:
        worker = worker_of(session, lab, rung, source, Path(temp))
        sizes = count(session.setup.of(lab, rung), rung, worker, [items], Path(temp))
    if not sizes:
        raise InputError(f"{name} has no workload to count: its judge checks results alone")
    if sizes[0].outcome is not Outcome.PASSED or not sizes[0].kernels:
        raise SubmissionError(
            f"{name} is not right yet, so no count means anything: {one_line(sizes[0].message)}"
        )
    return sizes[0]


def _timed(session: Session, folder: Path, lab: Lab, rung: Rung) -> Counted:
    """What the model of time says of the student's file; nothing where it has no answer."""
    gpu, items = read_device(), lab.predicted_sizes[-1]
    try:
        profile = profile_rung(session, folder, lab, rung, [items], gpu)
    except (InputError, SubmissionError, FaultError):  # the counts are worth showing without it
        return Counted("")
    size = profile.sizes[0]
    told = predicted(size, profile.resources, gpu)
    if not told or size.outcome is not Outcome.PASSED:
        return Counted("")
    return Counted(f"{told.seconds * 1e6:.3g}", sentence(size, told))


def _counted(question: Prediction, size: SizeProfile) -> Counted:
    name = question.quantity
    if not name:
        return Counted(question.truth)
    if name == RESIDENT_BLOCKS:
        main = max(size.kernels, key=lambda kernel: passes(kernel.counters))
        return Counted(str(main.occupancy.blocks))
    if name in TOTALS:
        value = sum(kernel.counters.get(name, 0) for kernel in size.kernels)
        by_line = sorted(size.lines, key=lambda line: -line.counters.get(name, 0))
        most = [each.line for each in by_line if each.line and each.counters.get(name)]
        return Counted(figure(value), _place(most[:_NAMED_LINES]))
    places = (size.places.get(name + end) for end in _NEXT)
    lines = [place.line for place in places if place and place.line]
    return Counted(figure(size.measures[name]), _place(lines))


def _print_table(
    console: Console, rung: Rung, answers: Sequence[Answered], found: Mapping[str, Counted]
) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("quantity", "predicted", "counted"):
        table.add_column(heading, justify="left" if heading == "quantity" else "right")
    for each in answers:
        name = each.id.removeprefix(f"{rung.id}-")
        style = "green" if not each.reason else "yellow"
        table.add_row(name, _short(each, each.answer), Text(_short(each, each.counted), style))
    console.print(Padding(table, (0, 0, 0, 2), expand=False))
    for each in answers:
        if each.reason:
            said = f"{each.id.removeprefix(f'{rung.id}-')}: {each.reason}"
            said += f" ({place})" if (place := found[each.id].place) else ""
            console.print(Padding(Text(said), (0, 0, 0, 2), expand=False))
    if any(each.mark is Mark.LATE for each in answers):
        late = "the rung was right before you predicted: these predictions earn no points"
        console.print(Padding(Text(late, "dim"), (0, 0, 0, 2)))


def _short(answered: Answered, text: str) -> str:
    """The rungs of a ladder by their numbers."""
    if answered.kind is not Kind.ORDER:
        return text
    return " ".join(name.partition("_")[0] for name in text.split())


def _place(lines: Sequence[int]) -> str:
    return f"most of it in line {' and line '.join(map(str, lines))}" if lines else ""
