# SPDX-License-Identifier: MIT
"""`trace` and `profile`: what one launch does, and what a rung costs.

Handouts and the site show launches of solutions and of wrong submissions; they are recorded here.
"""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lockstep_grader.author.mutants import read_mutants
from lockstep_grader.cli.options import (
    MAX_COUNTED_ITEMS,
    BackendChoice,
    DeviceOption,
    FromOption,
    OpenOption,
    OrderOption,
    RungArgument,
    SandboxOption,
)
from lockstep_grader.cli.verbs_run import (
    DefineOption,
    IncludeOption,
    StandardOption,
    compiler_options,
    rung_of_file,
)
from lockstep_grader.intake.catalog import find_target, read_labs
from lockstep_grader.intake.take import lab_folders
from lockstep_grader.judging.session import (
    Session,
    Wanted,
    default_jobs,
    open_session,
    open_session_for,
)
from lockstep_grader.machine.console import make_console
from lockstep_grader.machine.files import require_writable, write_json, write_whole
from lockstep_grader.machine.progress import say, tell_of_page
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import ExitCode, FaultError, InputError
from lockstep_grader.model.grades import Backend, Lab, Rung
from lockstep_grader.model.text import one_line
from lockstep_grader.student.predict import invitation
from lockstep_grader.student.profile.report import print_profile, profile_json
from lockstep_grader.student.profile.run import profile_rung
from lockstep_grader.student.profile.timing import read_device
from lockstep_grader.student.program import report
from lockstep_grader.student.program.build import (
    STANDARDS,
    BuildError,
    Options,
    build_program,
    check_files,
    program_steps,
    source_of,
    worker_of,
)
from lockstep_grader.student.program.run import Settings
from lockstep_grader.student.trace.model import find_races
from lockstep_grader.student.trace.record import (
    DEFAULT_SIZE,
    KeyIdea,
    TraceRequest,
    read_key_ideas,
    record_program,
    record_rung,
)
from lockstep_grader.student.trace.still import draw_still
from lockstep_grader.toolchain.installers import require_packages

if TYPE_CHECKING:
    from lockstep_grader.student.trace.page import Trace  # takes jinja2

_SECONDS = 300.0  # of a recording for a handout
_MAX_TRACED_ITEMS = 1 << 20  # a page shows four blocks; more items only take longer


def lab_trace(
    ctx: typer.Context,
    targets: Annotated[list[str], typer.Argument(metavar="LAB/RUNG|FILE...")],
    include: IncludeOption = None,
    define: DefineOption = None,
    std: StandardOption = STANDARDS[0],
    size: Annotated[
        int | None,
        typer.Option(
            min=1, max=_MAX_TRACED_ITEMS, help=f"Items of a rung's call; default {DEFAULT_SIZE}."
        ),
    ] = None,
    seed: OrderOption = 0,
    test: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Of a rung: replay what this test found, in the check that had this --seed.",
        ),
    ] = "",
    kernel: Annotated[
        str, typer.Option(help="Record the first launch of this kernel; default: the first launch.")
    ] = "",
    out: Annotated[Path, typer.Option(help="Write the page here.")] = Path("trace.html"),
    opens: OpenOption = False,
    from_: FromOption = None,
    timeout: Annotated[
        float,
        typer.Option(min=0.1, help="End a program, or the call of a rung, after so many seconds."),
    ] = 60,
    sandbox: SandboxOption = True,
) -> int:
    """Replay one launch step by step: a page with source, warps, memory and barriers."""
    options = compiler_options(include, define, std)
    require_writable(out)
    require_packages()
    request = TraceRequest(kernel, seed, size or (0 if test else DEFAULT_SIZE), test)
    arguments: list[str] = ctx.meta["program_arguments"]
    workspace, target = Workspace.from_environment(), targets[0]
    with tempfile.TemporaryDirectory(prefix="lockstep-trace-") as temp:
        work = Path(temp)
        named = rung_of_file(workspace, Path(target))
        if named:
            target, from_ = named[0], from_ or named[1]
        elif Path(target).suffix:
            if size or from_ or test:
                raise InputError(
                    "--size, --test and --from are for a LAB/RUNG; a program has sizes of its own"
                )
            files = [Path(file) for file in targets]
            try:
                made = _of_program(files, options, arguments, request, timeout=timeout, work=work)
            except BuildError as error:
                report.print_build_error(make_console(stderr=True), files, error)
                return ExitCode.SHORT_OF_FULL_MARKS
            return _write(made, out, opens)
        if len(targets) > 1 or arguments or options != Options():
            raise InputError(
                f"{target} is a rung: further files, -I, -D, --std and -- are for a program"
            )
        labs = read_labs(workspace)
        lab, rungs = find_target(labs, target)
        if "/" not in target.removeprefix("labs/").strip("/"):
            raise InputError(f"trace needs a rung, as in {lab.id}/{rungs[0].id}")
        with lab_folders(from_ or workspace.labs, lab, labs) as folder:
            wanted = Wanted(Backend.CPU, sandbox=sandbox, labs=[lab.id])
            session = open_session_for(folder, workspace, wanted)
            made = _of_rung(
                session,
                lab,
                rungs[0],
                folder,
                request,
                labs=workspace.labs,
                work=work,
                seconds=timeout,
            )
    if size and not made.recorded.has_size:
        say(f"{made.name} has no workload of a chosen size: --size is not used")
    return _write(made, out, opens)


def _of_program(
    files: list[Path],
    options: Options,
    arguments: list[str],
    request: TraceRequest,
    *,
    timeout: float,
    work: Path,
) -> "Trace":
    from lockstep_grader.student.trace.page import Trace

    check_files(files)
    steps = program_steps(Workspace.from_environment(), default_jobs())
    binary = build_program(steps, files, replace(options, is_counted=True), work, default_jobs())
    settings = Settings(timeout=timeout)
    recorded = record_program(binary, arguments, settings, request, work=work, name=files[0].stem)
    sources = {file.name: file.read_bytes().decode("utf-8", "replace") for file in files}
    races = tuple(find_races(recorded.recording))
    return Trace(files[0].name, request.how(), recorded.with_names(sources), sources, (), races)


def _of_rung(
    session: Session,
    lab: Lab,
    rung: Rung,
    folder: Path,
    request: TraceRequest,
    *,
    labs: Path,
    work: Path,
    seconds: float = _SECONDS,
) -> "Trace":
    """Of the file in `folder`; its contract is in `labs`. Both are folders of lab folders."""
    from lockstep_grader.student.trace.page import Trace

    source = source_of(folder, lab, rung)
    worker = worker_of(session, lab, rung, source, work)
    recorded = record_rung(session, lab, rung, request, worker, work=work, seconds=seconds)
    headers = tuple(file.read_text("utf-8") for file in sorted((labs / lab.id).glob("*.cuh")))
    sources = {source.file_name: source.data.decode("utf-8", "replace")}
    races = tuple(find_races(recorded.recording))
    recorded = recorded.with_names(sources)
    return Trace(f"{lab.id}/{rung.id}", request.how(), recorded, sources, headers, races)


def _write(made: "Trace", out: Path, opens: bool) -> int:
    from lockstep_grader.student.trace.page import make_page, notes_of

    made, page = make_page(made)
    write_whole(out, page.encode())
    for note in notes_of(made):
        say(note)
    if made.recorded.message:
        say(f"the run failed: {one_line(made.recorded.message)}")
    tell_of_page("the page", out, opens)
    is_clean = not made.recorded.message and not made.recording.findings
    return ExitCode.FULL_MARKS if is_clean else ExitCode.SHORT_OF_FULL_MARKS


def lab_profile(
    target: RungArgument,
    size: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            max=MAX_COUNTED_ITEMS,
            help="Items of the call; repeatable. Default: the budgets' size.",
        ),
    ] = None,
    from_: FromOption = None,
    html: Annotated[Path | None, typer.Option(help="Write a page with pictures here.")] = None,
    opens: OpenOption = False,
    json: Annotated[Path | None, typer.Option(help="Write the counts here as JSON.")] = None,
    line_limit: Annotated[
        int, typer.Option(min=0, help="Source lines to show, the most expensive first; 0: all.")
    ] = 60,
    timed: Annotated[
        bool,
        typer.Option("--timed", help="Count the call that a GPU times. So does --device."),
    ] = False,
    device: DeviceOption = None,
    backend: Annotated[BackendChoice, typer.Option(help="Only cpu counts.")] = (BackendChoice.AUTO),
    sandbox: SandboxOption = True,
) -> int:
    """Show what a rung costs, kernel by kernel and line by line."""
    workspace = Workspace.from_environment()
    labs = read_labs(workspace)
    lab, rungs = find_target(labs, target)
    if "/" not in target:
        raise InputError(f"profile needs a rung, as in {lab.id}/{rungs[0].id}")
    if backend is BackendChoice.CUDA:
        raise InputError("counters come from the cpu backend: use --backend cpu")
    if opens:
        html = html or Path("profile.html")
    for file in filter(None, (html, json)):
        require_writable(file)
    gpu = read_device(device)
    with lab_folders(from_ or workspace.labs, lab, labs) as folder:
        wanted = Wanted(Backend.CPU, sandbox=sandbox, labs=[lab.id])
        session = open_session_for(folder, workspace, wanted)
        if line := invitation(workspace, folder, lab, rungs):
            say(line)
        made = profile_rung(
            session, folder, lab, rungs[0], size or [], gpu if timed or device else None
        )
    if json:
        write_json(json, profile_json(made, session.toolchain, gpu))
    if html:
        require_packages()
        from lockstep_grader.student.profile.page import render_page

        write_whole(html, render_page(made, gpu).encode())
    print_profile(make_console(), made, line_limit, gpu)
    if html:
        tell_of_page("the page", html, opens)
    return ExitCode.FULL_MARKS if made.passed else ExitCode.SHORT_OF_FULL_MARKS


def record_key_ideas(
    workspace: Workspace, labs: Sequence[Lab]
) -> Iterator[tuple[KeyIdea, "Trace"]]:
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


def still_of(idea: KeyIdea, trace: "Trace") -> str:
    return draw_still(trace.recording, trace.cells(), idea)


def _recorded(
    workspace: Workspace, session: Session, lab: Lab, idea: KeyIdea, work: Path
) -> "Trace":
    rung = next((rung for rung in lab.rungs if rung.id == idea.rung), None)
    if rung is None:
        raise FaultError(f"{lab.id}: traces.toml names no rung of it: {idea.rung}")
    folder = _submission(workspace, lab, idea, work)
    request = TraceRequest(idea.kernel, idea.seed, idea.size)
    return _of_rung(session, lab, rung, folder, request, labs=workspace.labs, work=work)


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
