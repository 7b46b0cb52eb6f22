# SPDX-License-Identifier: MIT
"""Runs the sections of `test`: development tools, what they say, how many tests went which way.

The tools' Python packages are 700 MB of files. uv unpacks them with a quarter of pip's processor
time, and gets pip's servers from pip's configuration. Where it cannot be installed, or does not get
through, pip does it.
"""

import ast
import contextlib
import importlib.util
import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.judging.doctor import PYTHON_DEVELOPER_PACKAGES
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.process import captured
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, system_error_line
from lockstep_grader.model.text import clipped, visible
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.description import STRICT
from lockstep_grader.toolchain.installers import pip_cause, pip_command, pip_environment
from lockstep_grader.toolchain.system import Requirement

# pip's options by their names in its configuration, and uv's environment variables for the same.
_SAME_IN_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
_OPTION = re.compile(r"^[^=]*\.([a-z-]+)=('.*'|\".*\")$", re.MULTILINE)  # global.cert='/a'


_SHOWN_LINES = 60


@dataclass(frozen=True, slots=True)
class Context:
    workspace: Workspace
    console: Console
    jobs: int
    test_files: Sequence[Path] = ()  # of pytest; none: all
    thorough: bool = False  # with the tests and the mutants that a sample leaves out


@dataclass(frozen=True, slots=True)
class Tally:
    """How many tests of a section went which way."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
        )

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    purpose: str
    run: Callable[[Context], Tally]
    needs: str = "."  # the folder without which there is nothing to do: a release lacks some
    beside: bool = False  # it leaves cores idle, so the sections after it run at the same time


_Row = tuple[Section, Tally, float]  # with its seconds


def run_sections(context: Context, sections: Sequence[Section]) -> Tally:
    """Runs every section, whatever the others did, and prints the summary.

    A section that cannot even start counts as one failure. The last line is the sum, plain.
    """
    rows: list[_Row] = []
    with ThreadPoolExecutor(thread_name_prefix="beside") as pool:
        running = []
        for section in sections:
            if section.beside:
                running.append(pool.submit(_run_beside, context, section))
            else:
                rows.append(_run_section(context, section))
        rows += [each.result() for each in running]
    rows.sort(key=lambda row: sections.index(row[0]))
    _print_summary(context.console, rows)
    total = sum((tally for _, tally, _ in rows), Tally())
    print(total, flush=True)
    return total


def _run_beside(context: Context, section: Section) -> _Row:
    """Prints in one piece at the end: another section prints meanwhile."""
    with context.console.capture() as said:
        row = _run_section(context, section)
    context.console.out(said.get(), end="", highlight=False)
    return row


def _run_section(context: Context, section: Section) -> _Row:
    context.console.print(Text(f"== {section.name}: {section.purpose}", "bold"))
    started = time.monotonic()
    try:
        tally = section.run(context)
    except (FaultError, OSError) as error:
        cause = system_error_line(error) if isinstance(error, OSError) else str(error)
        context.console.print(Text(cause, "red"))
        tally = Tally(failed=1)
    return section, tally, time.monotonic() - started


def _print_summary(console: Console, rows: Sequence[_Row]) -> None:
    table = Table(box=None)
    table.add_column("section", no_wrap=True)
    for name in ("passed", "failed", "skipped", "seconds"):
        table.add_column(name, justify="right")
    for section, tally, seconds in rows:
        failed = Text(str(tally.failed), "red" if tally.failed else "")
        table.add_row(section.name, str(tally.passed), failed, str(tally.skipped), f"{seconds:.1f}")
    console.print(table)


def run_tool(context: Context, name: str, argv: Sequence[str], cwd: Path | None = None) -> Tally:
    """One test: the tool's exit status. Its output is shown when it fails."""
    done = captured(argv, cwd or context.workspace.root)
    report(context, name, done.returncode == 0, done.stdout)
    return Tally(passed=1) if done.returncode == 0 else Tally(failed=1)


def tool(name: str) -> str:
    """A program of the pinned Python packages, or else the one on PATH.

    Pinned, since another version of clang-format or clang-tidy has other opinions.
    """
    pinned = Path(sys.executable).parent / name
    return str(pinned) if pinned.is_file() else name


def report(context: Context, name: str, good: bool, output: str = "") -> None:
    """One line for a test, and its output when it failed."""
    context.console.print(Text(f"  {'ok  ' if good else 'FAIL'}  {name}", "" if good else "red"))
    if not good and output.strip():
        context.console.print(Text(clipped(visible(output.strip()), _SHOWN_LINES)))


def junit_tally(file: Path, returncode: int) -> Tally:
    """The counts in a JUnit file; a bad exit status without a failure counts as one."""
    try:
        root = ElementTree.parse(file).getroot()  # noqa: S314 - our own tools wrote it
    except (OSError, ElementTree.ParseError):
        return Tally(failed=1)
    suites = [root] if root.tag == "testsuite" else root.findall("testsuite")

    def count(*names: str) -> int:
        return sum(int(suite.get(name, 0)) for suite in suites for name in names)

    failed, skipped = count("failures", "errors"), count("skipped", "disabled")
    passed = count("tests") - failed - skipped
    return Tally(passed, failed or int(returncode != 0), skipped)


def make_strict(workspace: Workspace) -> Workspace:
    """The same checkout with a build of its own, in which warnings are errors.

    Said in the environment, so that the tests' own processes build there too.
    """
    if not workspace.solutions.is_dir():
        return workspace  # a student's compiler may be newer than the ones that we tried
    os.environ[STRICT] = "1"
    os.environ.setdefault("LOCKSTEP_BUILD", str(workspace.root / "build" / "test"))
    return Workspace.from_environment()


def ensure_packages(sections: Sequence[Section], thorough: bool) -> None:
    """The system's packages. Raises FaultError when one is missing that no section can do without.

    All in one call of apt first, if it knows all of them: each call takes several seconds in which
    the cores idle.
    """
    optional: list[tuple[Sequence[Requirement], str]] = [
        ((system.SANDBOX_REQUIREMENT,), "what confines student code is not tested"),
        (system.OPTIONAL_REQUIREMENTS, "checkouts that the tests make are compiled from nothing"),
        ((system.HEADLESS_REQUIREMENT,), "the pages are tested in Chromium if that is installed"),
    ]
    if thorough and any(section.name == "pytest" for section in sections):
        loss = "the tests that start a Slurm will be skipped"
        optional.append((system.SLURM_REQUIREMENTS, loss))
    with contextlib.suppress(FaultError):
        together = [need for needed, _ in optional for need in needed]
        system.ensure([*system.BUILD_REQUIREMENTS, *together])
    system.ensure(system.BUILD_REQUIREMENTS)
    for needed, loss in optional:
        try:
            system.ensure(needed)
        except FaultError as error:
            say(f"{loss}: {error}")


def ensure_tools(workspace: Workspace, sections: Sequence[Section], thorough: bool) -> None:
    """Installs what the sections need. Raises FaultError with the next step when it cannot."""
    ensure_packages(sections, thorough)
    requirements = workspace.root / "grader" / "requirements-dev.txt"
    if Path(sys.prefix) != workspace.root / ".venv":
        _require_importable(requirements)
        return
    stamp = Path(sys.prefix) / "installed-dev.txt"  # as `lab` keeps one for the grader itself
    wanted = b"".join(
        file.read_bytes() for file in sorted(requirements.parent.glob("require*.txt"))
    )
    if stamp.is_file() and stamp.read_bytes() == wanted:
        return
    install_packages(requirements)
    write_whole(stamp, wanted)
    importlib.invalidate_caches()


def _require_importable(requirements: Path) -> None:
    absent = [name for name in PYTHON_DEVELOPER_PACKAGES if not importlib.util.find_spec(name)]
    if absent:
        raise FaultError(
            f"{', '.join(absent)} missing; run: {sys.executable} -m pip install -r {requirements}"
        )


def install_packages(requirements: Path) -> None:
    """Raises FaultError with the cause and the command that repeats it when it cannot."""
    say("installing the development packages ...")
    pip = [*pip_command(sys.executable), "--no-compile"]
    pin = next(line for line in requirements.read_text().splitlines() if line.startswith("uv=="))
    if _run([*pip, pin]).returncode == 0:
        uv = [sys.executable, "-m", "uv", "--quiet", "pip", "install", "--python", sys.executable]
        if _run([*uv, "-r", str(requirements)], uv_environment(_pip_options())).returncode == 0:
            return
    argv = [*pip, "-r", str(requirements)]
    done = _run(argv)
    if done.returncode != 0:
        cause = pip_cause(done.stdout + done.stderr)
        raise FaultError(f"cannot install the development packages: {cause}; try: {' '.join(argv)}")


def _run(
    argv: Sequence[str], env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    env = pip_environment() if env is None else env
    return subprocess.run(argv, env=env, capture_output=True, text=True, errors="replace")


def uv_environment(
    options: Mapping[str, str], env: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """`env` with pip's options in uv's words; what it says of uv itself stays."""
    words = {_SAME_IN_UV[name]: value for name, value in options.items() if name in _SAME_IN_UV}
    if links := words.get("UV_FIND_LINKS"):  # the only one that is not separated by blanks
        words["UV_FIND_LINKS"] = ",".join(links.split())
    return {**words, **env}


def _pip_options() -> dict[str, str]:
    return pip_options(_run([sys.executable, "-m", "pip", "config", "list"]).stdout)


def pip_options(listed: str) -> dict[str, str]:
    """From the output of `pip config list`: the environment's, which come first, count first."""
    options: dict[str, str] = {}
    for name, value in _OPTION.findall(listed):
        options.setdefault(name, str(ast.literal_eval(value)))
    return options
