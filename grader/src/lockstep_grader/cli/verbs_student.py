# SPDX-License-Identifier: MIT
"""The verbs that students type."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from lockstep_grader.cli.options import (
    MAX_COUNTED_ITEMS,
    BackendChoice,
    BackendOption,
    DeviceOption,
    FolderOption,
    FromOption,
    JobsOption,
    LabArgument,
    RungArgument,
    SandboxOption,
    SanitizerOption,
    SeedOption,
    TargetArgument,
    folder_given,
)
from lockstep_grader.intake.catalog import find_lab, find_target, read_labs
from lockstep_grader.intake.effort import effort_text
from lockstep_grader.intake.submission import EFFORT, Source, read_file, read_source
from lockstep_grader.intake.take import lab_folders
from lockstep_grader.judging.session import Wanted, backend_here, open_session_for
from lockstep_grader.machine.console import make_console, points
from lockstep_grader.machine.files import Packed, write_whole, zipped
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.compat import UTC
from lockstep_grader.model.errors import ExitCode, FaultError, InputError
from lockstep_grader.model.grades import Backend, Effort, Finding, Lab, Rung
from lockstep_grader.model.quiz import ANSWER_FILES, Sheet
from lockstep_grader.model.text import count_of
from lockstep_grader.quiz.file import unanswered_in
from lockstep_grader.quiz.predict import read_sheets
from lockstep_grader.results.serial import check_json
from lockstep_grader.student import bench, state
from lockstep_grader.student.check import Checked, Shown, check, watch
from lockstep_grader.student.explain import causes_of
from lockstep_grader.student.predict import invitation, show_after
from lockstep_grader.student.profile.timing import read_device, tell_time

_Everything = Annotated[
    bool, typer.Option("-v", "--verbose", help="Every finding and every failed test.")
]
_Problems = Annotated[
    bool,
    typer.Option("--problems", help="Also one FILE:LINE: line for each finding, for an editor."),
]


def lab_check(
    target: TargetArgument,
    from_: FromOption = None,
    backend: BackendOption = BackendChoice.AUTO,
    jobs: JobsOption = None,
    seed: SeedOption = None,
    sanitizer: SanitizerOption = True,
    sandbox: SandboxOption = True,
    problems: _Problems = False,
    everything: _Everything = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write the result as JSON, and nothing else, to stdout.")
    ] = False,
) -> int:
    """Build and judge your rungs; say why and where when one fails."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    lab, rungs = find_target(labs, target)
    with lab_folders(from_ or workspace.labs, lab, labs) as folder:
        wanted = Wanted(
            backend.backend, jobs, seed, sanitizer=sanitizer, sandbox=sandbox, labs=[lab.id]
        )
        session = open_session_for(folder, workspace, wanted)
        started = datetime.now(UTC)
        console = make_console()
        if not as_json:
            _invite(console, invitation(workspace, folder, lab, rungs))
        shown = Shown(console, workspace, problems, everything)
        named = str(from_) if from_ else ""
        checked = check(
            session, folder, lab, rungs, tell=None if as_json else shown.early, named=named
        )
    _remember(workspace, checked)
    result = checked.result
    if as_json:
        hints = {rung.id: f"./lab hint {lab.id}/{rung.id}" for rung in rungs if rung.hints}
        report = check_json(
            session.toolchain, seed, started, folder.resolve(), lab=result, hints=hints
        )
        print(json.dumps(report, indent=2))
    else:
        shown.last(checked)
        show_after(console, workspace, session, checked)
        tell_time(console, session, checked)
    if result.score is None:
        return ExitCode.FAULT
    full = result.score == result.max_score
    return ExitCode.FULL_MARKS if full else ExitCode.SHORT_OF_FULL_MARKS


def _invite(console: Console, line: str) -> None:
    if line:
        console.print(Text(line, "cyan"), soft_wrap=True)


def _remember(workspace: Workspace, checked: Checked) -> None:
    """For `list` and `predict`; another folder's rungs are not this student's progress."""
    lab, result = checked.lab, checked.result
    if checked.folder.resolve() == workspace.labs:
        with _remembering():
            causes = {
                rung.id: causes_of(rung, found, checked.backend)
                for rung, found in zip(checked.rungs, result.rungs, strict=True)
            }
            state.remember_checks(workspace.state, lab, result, checked.sources, causes)
            state.remember_right(workspace.state, lab, result)
            state.remember_work(workspace.state, result, datetime.now(UTC))


@contextmanager
def _remembering() -> Iterator[None]:
    """A verdict or a hint is worth more than its memory: a failure to write that is one line."""
    try:
        yield
    except FaultError as error:
        say(f"not remembered: {error}")


def lab_watch(
    target: TargetArgument,
    from_: FolderOption = None,
    backend: BackendOption = BackendChoice.AUTO,
    jobs: JobsOption = None,
    sanitizer: SanitizerOption = True,
    sandbox: SandboxOption = True,
    problems: _Problems = False,
    everything: _Everything = False,
) -> int:
    """Check again on every save; Ctrl-C ends."""
    workspace = Workspace.from_environment()
    lab, rungs = find_target(read_labs(workspace), target)
    folder = folder_given(workspace, from_)
    console = make_console()

    wanted = Wanted(backend.backend, jobs, sanitizer=sanitizer, sandbox=sandbox, labs=[lab.id])

    def once() -> None:
        session = open_session_for(folder, workspace, wanted)
        if problems:  # an editor forgets the last round's findings here
            console.print(Text(f"checking {target}"))
        _invite(console, invitation(workspace, folder, lab, rungs))
        shown = Shown(console, workspace, problems, everything)
        checked = check(session, folder, lab, rungs, tell=shown.early)
        _remember(workspace, checked)
        shown.last(checked)
        show_after(console, workspace, session, checked)

    watch(console, folder / lab.id, once)
    return ExitCode.FULL_MARKS


def lab_hint(
    target: RungArgument,
    show_all: Annotated[bool, typer.Option("--all", help="Show every hint.")] = False,
    reset: Annotated[bool, typer.Option("--reset", help="Start again with the first.")] = False,
) -> int:
    """Show the next hint of a rung; later hints say more."""
    workspace = Workspace.from_environment()
    lab, rungs = find_target(read_labs(workspace), target)
    if "/" not in target:
        raise InputError(f"hint needs a rung, as in {lab.id}/{lab.rungs[0].id}")
    rung = rungs[0]
    if not rung.hints:
        raise InputError(f"{lab.id}/{rung.id} has no hints")
    if reset:
        state.set_revealed_hints(workspace.state, lab, rung, ())
        print(f"the hints of {lab.id}/{rung.id} start again")
        return ExitCode.FULL_MARKS
    count = len(rung.hints)
    is_closed = state.last_hint_waits(workspace) and not state.has_failed(
        workspace.state, lab, rung
    )
    revealed = list(state.revealed_hints(workspace.state, lab, rung))
    checks = state.last_checks(workspace.state, lab)
    causes = checks[rung.id].causes if rung.id in checks else ()
    closed = [count] if is_closed else []
    while number := state.next_hint(rung, [*revealed, *closed], causes):
        revealed.append(number)
        if not show_all:
            break
    with _remembering():
        state.set_revealed_hints(workspace.state, lab, rung, revealed)
    console = make_console()
    for number in revealed:
        text = rung.hints[number - 1]
        console.print(Text.assemble((f"hint {number} of {count}  ", "bold"), text))
    if is_closed and len(revealed) == count - 1:
        print(f"the last hint opens when ./lab check {lab.id}/{rung.id} has failed once")
    return ExitCode.FULL_MARKS


def lab_submit(
    lab_name: LabArgument,
    from_: FolderOption = None,
    output: Annotated[Path | None, typer.Option(help="The zip; default: LAB.zip, here.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Even with a TODO in it.")] = False,
    with_effort: Annotated[
        bool,
        typer.Option("--effort", help="With your minutes and opened hints, for your course."),
    ] = False,
) -> int:
    """Pack a lab's rung files into the zip to hand in."""
    workspace = Workspace.from_environment()
    lab = find_lab(read_labs(workspace), lab_name)
    target = output or Path(f"{lab.id}.zip")
    folder = folder_given(workspace, from_)
    unanswered = list(_unanswered(workspace, lab, folder, force))
    spent = state.effort(workspace.state, lab)
    packed = pack(folder, lab, target, force, spent if with_effort else None)
    print(f"{target}: {count_of(len(packed), 'file')}, {', '.join(packed)}")
    if folder.resolve() == workspace.labs:
        _say_scores(workspace, lab, folder)
    for sheet, left in unanswered:
        questions = "1 question has" if left == 1 else f"{left} questions have"
        print(f"{sheet}: {questions} no answer yet; {sheet.command(lab.id)} asks")
    if spent.minutes and not with_effort:
        total = round(sum(spent.minutes.values()))
        print(f"--effort would tell your course, too: {total} minutes, by rung, and opened hints")
    print(f"next: hand in {target} where your course collects it")
    return ExitCode.FULL_MARKS


def _say_scores(workspace: Workspace, lab: Lab, folder: Path) -> None:
    """The points of the packed files, as far as they were checked."""
    checks = state.last_checks(workspace.state, lab)
    fresh = {
        rung.id
        for rung in lab.rungs
        if rung.id in checks
        and checks[rung.id].is_of((folder / lab.id / rung.file_name).read_bytes())
    }
    total = sum(checks[rung].score for rung in fresh)
    print(f"your checks of these files: {points(total, lab.max_score)} points")
    for rung in lab.rungs:
        if rung.id not in fresh:
            since = "changed since its last check" if rung.id in checks else "not checked yet"
            print(f"  {rung.id}: {since}; ./lab check {lab.id}/{rung.id}")


def _unanswered(
    workspace: Workspace, lab: Lab, folder: Path, force: bool
) -> Iterator[tuple[Sheet, int]]:
    """Questions by sheet. Unless `force`, raises InputError for a file without marks."""
    for quiz in read_sheets(workspace, lab):
        try:
            if left := len(unanswered_in(folder, quiz)):
                yield quiz.sheet, left
        except InputError:
            if not force:
                raise


def lab_bench(
    lab_name: LabArgument,
    from_: FromOption = None,
    sizes: Annotated[
        str | None, typer.Option(help="Numbers of items, with commas; default: the lab's own.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for LAB.json and LAB.svg.")] = None,
    page_only: Annotated[bool, typer.Option(help="Measure nothing; redraw from LAB.json.")] = False,
    missing: Annotated[
        bool, typer.Option("--missing", help="Measure only what LAB.json does not have.")
    ] = False,
    predicts: Annotated[
        bool, typer.Option("--predicted", help="Without a GPU: predict the times from counts.")
    ] = False,
    device: DeviceOption = None,
    backend: BackendOption = BackendChoice.AUTO,
    sandbox: SandboxOption = True,
) -> int:
    """Time a lab's ladder on a GPU, compared with the library.

    Without --from: that of the solutions, or your own in a copy without solutions.
    """
    if device and not predicts:
        raise InputError("--device names the GPU of predicted times: give --predicted, too")
    if predicts and (missing or backend is BackendChoice.CUDA):
        raise InputError("--predicted counts on the emulator: leave out --missing and --backend")
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    lab = find_lab(labs, lab_name)
    folder = out or (Path() if predicts else workspace.root / "docs" / "bench")
    file, plot = folder / f"{lab.id}.json", folder / f"{lab.id}.svg"
    measured = from_ or (workspace.solutions if workspace.solutions.is_dir() else workspace.labs)
    if predicts and not page_only:
        gpu = read_device(device)
        numbers = _numbers(sizes) if sizes is not None else lab.predicted_sizes
        if max(numbers) > MAX_COUNTED_ITEMS:
            raise InputError(f"--predicted counts calls of up to {MAX_COUNTED_ITEMS} items")
        with lab_folders(measured, lab, labs) as source:
            wanted = Wanted(Backend.CPU, sandbox=sandbox, labs=[lab.id])
            session = open_session_for(source, workspace, wanted)
            bench.save(bench.predict(session, source, lab, numbers, gpu), file)
    elif not page_only:
        numbers = _numbers(sizes) if sizes is not None else lab.bench_sizes
        bench.require_gpu(backend_here(workspace, backend.backend), lab)
        with lab_folders(measured, lab, labs) as source:
            wanted = Wanted(backend.backend, emulator=False, sandbox=sandbox, labs=[lab.id])
            session = open_session_for(source, workspace, wanted)
            earlier = bench.load(file) if missing else None
            bench.save(bench.measure(session, source, lab, numbers, earlier), file)
    report = bench.load(file)
    bench.draw(report, plot)
    if out is None and not predicts and measured == workspace.solutions:
        readme = workspace.solutions / lab.id / "README.md"
        up = "../../docs/bench"
        text = bench.table(report, f"{up}/{file.name}", f"{up}/{plot.name}")
        bench.put_into(readme, text)
    print(bench.table(report, file.name, plot.name))
    failures = report.get("failures", [])
    for failure in failures:
        say(f"not measured: {failure}")
    return ExitCode.SHORT_OF_FULL_MARKS if failures else ExitCode.FULL_MARKS


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError as error:
        raise InputError(f"--sizes takes numbers with commas between them, not {text!r}") from error
    if min(numbers) < 1:
        raise InputError("--sizes takes numbers above 0")
    return numbers


def pack(
    folder: Path, lab: Lab, target: Path, force: bool, effort: Effort | None = None
) -> tuple[str, ...]:
    """Writes the lab's rung files under `folder` to `target`; the names of the packed files.

    Raises InputError for a file that is missing or cannot be read and, unless `force`, for one
    that still calls todo().
    """
    sources = [_source(folder, lab, rung) for rung in lab.rungs]
    unfinished = [source.file_name for source in sources if source.calls_todo]
    if unfinished and not force:
        raise InputError(
            f"still to do: {', '.join(unfinished)}; finish them and delete their calls of todo(), "
            "or hand in as it is with --force"
        )
    for answers in (folder / lab.id / name for name in ANSWER_FILES):
        if not answers.is_file():
            continue
        found = read_file(answers)
        if isinstance(found, Finding):
            raise InputError(f"{folder / lab.id}: {found.message}")
        sources.append(found)
    if effort:
        sources.append(Source(EFFORT, effort_text(lab, effort).encode()))
    files = {f"{lab.id}/{source.file_name}": Packed(source.data) for source in sources}
    write_whole(target, zipped(files))
    return tuple(source.file_name for source in sources)


def _source(folder: Path, lab: Lab, rung: Rung) -> Source:
    source = read_source(folder, lab, rung)
    if isinstance(source, Finding):
        raise InputError(f"{folder / lab.id}: {source.message}")
    return source
