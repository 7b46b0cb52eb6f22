# SPDX-License-Identifier: MIT
"""The sections of `test`: layout, wording, unit tests, pytest, the labs' proofs."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path

from rich.text import Text

from lockstep_grader.author.lint import WHOLE, Sample, lint, print_verdicts
from lockstep_grader.author.selftest.runner import (
    Context,
    Section,
    Tally,
    junit_tally,
    report,
    run_tool,
    tool,
)
from lockstep_grader.author.selftest.tidy import check_tidy
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.judging.session import Wanted, open_session
from lockstep_grader.machine.process import captured
from lockstep_grader.machine.workspace import Workspace, cache_folder, forget_unused
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.model.grades import Backend
from lockstep_grader.model.text import visible
from lockstep_grader.results.store import KeptJudgements
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.description import build_backend, workers_target

TURNS = Path(__file__).with_name("turns.txt")
_SELF = Path(__file__).name

# Data, texts by others, the wrong examples of our test, and files that a script writes: the script
# is read instead.
_UNREAD = (
    "*/test_wording.py",
    "*/test_sandbox.py",  # which names a system's user
    "*/sobol_numbers.cpp",
    "LICENSE",
    "*.svg",
    "*.json",
    "*.jsonl",
    "*.log",
    "*.xsd",
    "*.png",
    "*.bin",
    "*/requirements*.txt",
    "docs/bench/*.md",
    "docs/bench/*.txt",
)
# Between two words of a turn: blanks, line ends with comment marks, quotes of a split string.
_GAP = r"[\s\"'][\s\"'\\#/*+-]*"


@dataclass(frozen=True, slots=True)
class Turn:
    pattern: re.Pattern[str]
    instead: str


@dataclass(frozen=True, slots=True)
class Hit:
    path: str
    line: int
    found: str
    instead: str

    def __str__(self) -> str:
        return f'{self.path}:{self.line}: "{self.found}": write {self.instead}'


def read_turns(text: str) -> tuple[Turn, ...]:
    """The turns of a list. Raises FaultError, with the line, for one that is malformed."""
    turns: list[Turn] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            turns.append(_turn(line))
        except (ValueError, re.error) as error:
            raise FaultError(f"{TURNS.name}:{number}: cannot read this line: {error}") from error
    return tuple(turns)


def hits(path: str, text: str, turns: Iterable[Turn]) -> Iterator[Hit]:
    """Every turn in a text."""
    for turn in turns:
        for match in turn.pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield Hit(path, line, re.sub(_GAP, " ", match[0]), turn.instead)


def texts(root: Path) -> Iterator[tuple[str, str]]:
    """The texts under version control, by path."""
    done = captured(["git", "-C", str(root), "ls-files", "-z"], root)
    if done.returncode != 0:
        raise FaultError(f"git ls-files failed in {root}: {done.stdout.strip()}")
    own = TURNS.name
    for path in filter(None, done.stdout.split("\0")):
        file = root / path
        if file.name == own or any(fnmatchcase(path, unread) for unread in _UNREAD):
            continue
        if file.is_file() and not file.is_symlink():
            try:
                yield path, file.read_text("utf-8")
            except UnicodeDecodeError as error:
                raise FaultError(
                    f"{path} is not a text in UTF-8; see _UNREAD in {_SELF}"
                ) from error


def check_wording(context: Context) -> Tally:
    """Two tests. A students' copy, or one without version control, has none of them."""
    root = context.workspace.root
    if not (root / ".git").exists() or not context.workspace.solutions.is_dir():
        return Tally()
    found = dict(texts(root))
    turns = read_turns(TURNS.read_text("utf-8"))
    wrong = [hit for path, text in found.items() for hit in hits(path, text, turns)]
    report(context, f"wording of {len(found)} files", not wrong, "\n".join(map(str, wrong)))
    settings = ["--toml", str(root / "grader" / "pyproject.toml")]
    codespell = [sys.executable, "-m", "codespell_lib", *settings, *found]
    return run_tool(context, "codespell", codespell) + Tally(int(not wrong), int(bool(wrong)))


def _turn(line: str) -> Turn:
    expression, arrow, instead = line.partition(" => ")
    if not arrow or not instead.strip():
        raise ValueError("no ' => ' with what to write instead")
    return Turn(re.compile(expression.replace(" ", _GAP), re.IGNORECASE), instead)


_PYTHON_FOLDERS = (".", "../docs/bench/scripts")  # a students' copy has no measurements
_CXX_FOLDERS = ("common", "grader/tests/quiz_programs", "labs", "solutions")
_CXX_SUFFIXES = frozenset({".h", ".hpp", ".cpp", ".cu", ".cuh"})
_FORMAT_ERROR = re.compile(r"^(.+?):\d+:\d+: error: ", re.MULTILINE)
_CTEST_GOOD = re.compile(
    r"^ *(Start +\d+:|\d+/\d+ Test +#\d+: .+( Passed |\*Skipped) ).*\n", re.MULTILINE
)

_LINT_SEED = 1
_SAMPLE = Sample(mutants=40, starters=3, nvcc=15)  # unless the tests are thorough


def check_format(context: Context) -> Tally:
    workspace = context.workspace
    students = set() if workspace.solutions.is_dir() else _rung_files(workspace)
    files = [str(file) for file in _cxx_files(workspace.root) if file not in students]
    if not files:
        raise FaultError("no C++ files found to check")
    root = workspace.root
    done = captured([tool("clang-format"), "--dry-run", "-Werror", *files], root)
    wrong = dict.fromkeys(Path(name) for name in _FORMAT_ERROR.findall(done.stdout))
    for file in wrong:
        report(context, f"{workspace.shown(file)}: run clang-format -i on it", good=False)
    if done.returncode != 0 and not wrong:
        report(context, "clang-format", good=False, output=done.stdout)
        return Tally(failed=1)
    report(context, f"clang-format on {len(files)} files", not wrong)
    return Tally(len(files) - len(wrong), len(wrong))


def check_python(context: Context) -> Tally:
    grader = context.workspace.root / "grader"
    python = [sys.executable, "-m"]
    folders = [folder for folder in _PYTHON_FOLDERS if (grader / folder).is_dir()]
    check, layout = ["check", "--config"], ["format", "--check", "--config"]
    tally = check_wording(context) + run_tool(context, "mypy --strict", [*python, "mypy"], grader)
    for name, verb in (("ruff check", check), ("ruff format", layout)):
        argv = [*python, "ruff", *verb, "pyproject.toml", *folders]
        tally += run_tool(context, name, argv, grader)
    return tally


def _rung_files(workspace: Workspace) -> set[Path]:
    return {
        workspace.labs / lab.id / rung.file_name
        for lab in read_labs(workspace)
        for rung in lab.rungs
    }


def _cxx_files(root: Path) -> Iterator[Path]:
    for folder in _CXX_FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in _CXX_SUFFIXES and file.is_file():
                yield file


def run_ctest(context: Context) -> Tally:
    """The unit tests, and one lab's solutions as CMake builds them; `lint` judges them all."""
    workspace = context.workspace
    labs = [lab.id for lab in read_labs(workspace)]
    judged = labs[:1] if workspace.solutions.is_dir() else []  # not a student's own rungs
    targets = ["lockstep", "lockstep_tests", *map(workers_target, judged)]
    build = build_backend(workspace, Backend.CPU, targets, context.jobs).parent
    left_out = labs[len(judged) :]
    argv = ["ctest", "--test-dir", str(build), "--output-on-failure", "--no-tests=error"]
    if left_out:
        argv += ["--label-exclude", f"^({'|'.join(left_out)})$"]
    with tempfile.TemporaryDirectory(prefix="lockstep-") as work:
        junit = Path(work) / "ctest.xml"
        jobs = str(_waiting_jobs(context))
        done = captured([*argv, "-j", jobs, "--output-junit", str(junit)], build)
        tally = junit_tally(junit, done.returncode)
    report(context, f"ctest: {tally}", tally.failed == 0, _CTEST_GOOD.sub("", done.stdout))
    return tally


def _waiting_jobs(context: Context) -> int:
    """One more than the cores: many tests wait for a child, a clock or a cluster."""
    return context.jobs + 1


def run_pytest(context: Context) -> Tally:
    grader = context.workspace.root / "grader"
    with tempfile.TemporaryDirectory(prefix="lockstep-") as work:
        junit = Path(work) / "pytest.xml"
        argv = [sys.executable, "-m", "pytest", "-q", "-rsfE", f"--junitxml={junit}"]
        if find_spec("xdist"):
            # Files with few tests are the longest: they must not come last, as xdist would have it.
            argv += ["-n", str(_waiting_jobs(context)), "--dist", "loadfile"]
            argv += ["--no-loadscope-reorder"]
        if context.thorough:
            argv += ["-m", ""]  # in place of pyproject.toml's
        argv += map(str, context.test_files)
        done = captured(argv, grader, _quick_starts())
        tally = junit_tally(junit, done.returncode)
    report(context, f"pytest: {tally}", tally.failed == 0, done.stdout)
    for line in done.stdout.splitlines():
        if line.startswith(("SKIPPED", "FAILED", "ERROR")):
            style = "dim" if line.startswith("SKIPPED") else "red"
            context.console.print(Text(f"  {visible(line)}", style))
    return tally


def _quick_starts() -> dict[str, str]:
    """This environment, but a Python starts fast in it: the tests start hundreds.

    `python3` is the interpreter itself, not a script that looks for it; what was compiled once is
    kept.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    interpreter = Path(sys.base_prefix) / "bin" / "python3"
    if interpreter.exists() and not interpreter.samefile(shutil.which("python3") or os.devnull):
        env["PATH"] = f"{interpreter.parent}{os.pathsep}{env.get('PATH', os.defpath)}"
    return env


def run_lint(context: Context) -> Tally:
    workspace = context.workspace
    labs = read_labs(workspace)
    # One seed for all runs of the tests; `./lab lint` by hand gets a fresh one.
    session = open_session(workspace, Wanted(Backend.CPU, _waiting_jobs(context), _LINT_SEED))
    proofs = cache_folder() / "proofs"
    forget_unused(proofs)
    kept = KeptJudgements(proofs)
    sample = WHOLE if context.thorough else _SAMPLE
    verdicts = lint(workspace, labs, session, kept, sample)
    print_verdicts(context.console, verdicts)
    failed = sum(bool(verdict.problems) for verdict in verdicts)
    skipped = sum(bool(verdict.skipped) for verdict in verdicts)
    return Tally(len(verdicts) - failed - skipped, failed, skipped)


def build_cuda(context: Context) -> Tally:
    """Checks that the cuda backend compiles and links; running it needs a GPU.

    Unless the tests are thorough, the judge of one lab is enough: the other judges' .cu files are
    compiled for cpu too, and `lint` compiles rungs with nvcc.
    """
    if not system.toolkit_nvcc():
        context.console.print(Text("  skipped: there is no CUDA toolkit here", "dim"))
        return Tally(skipped=1)
    system.ensure(system.BUILD_REQUIREMENTS)
    first = read_labs(context.workspace)[0]
    judges = ["lockstep", workers_target(first.id)] if context.thorough else [f"{first.slug}_test"]
    build_backend(context.workspace, Backend.CUDA, judges, context.jobs)
    report(context, "the cuda backend compiles and links", good=True)
    return Tally(passed=1)


SECTIONS = (
    Section("format", "clang-format on our C++ and CUDA files", check_format),
    Section(
        "python", "ruff and mypy on the grader; spelling and wording", check_python, beside=True
    ),
    Section("ctest", "unit tests of the device, its runtime, the judge and the labs", run_ctest),
    Section("pytest", "tests of the grader", run_pytest, "grader/tests", beside=True),
    Section("tidy", "clang-tidy on the cpu build", check_tidy),
    Section("lint", "starters fail, solutions pass, mutants are caught", run_lint, "solutions"),
    Section("cuda", "the cuda backend compiles and links", build_cuda),
)


def present(workspace: Workspace) -> tuple[Section, ...]:
    """The sections that have something to do in this checkout, or students' copy."""
    return tuple(section for section in SECTIONS if (workspace.root / section.needs).is_dir())


def chosen(workspace: Workspace, only: list[str]) -> tuple[Section, ...]:
    """The sections named in `only`, or all. Raises InputError for one that is not there."""
    known = {section.name: section for section in present(workspace)}
    for name in only:
        if name not in known:
            raise InputError(f"there is no section {name!r}; there are: {', '.join(known)}")
    return tuple(section for name, section in known.items() if not only or name in only)
