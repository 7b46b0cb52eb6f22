# SPDX-License-Identifier: MIT
"""What `test` runs, cheapest first, and the tools it needs."""

import contextlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from lockstep_grader.author.selftest.python_packages import install_packages
from lockstep_grader.author.selftest.sections import Section
from lockstep_grader.author.selftest.style import check_format, check_python
from lockstep_grader.author.selftest.suites import (
    build_cuda,
    run_ctest,
    run_lint,
    run_pytest,
)
from lockstep_grader.author.selftest.tidy import check_tidy
from lockstep_grader.judging.doctor import PYTHON_DEVELOPER_PACKAGES
from lockstep_grader.machine.files import write_whole
from lockstep_grader.machine.progress import say
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.errors import FaultError, InputError
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.description import STRICT
from lockstep_grader.toolchain.system import Requirement

SECTIONS = (
    Section("format", "clang-format on our C++ and CUDA files", check_format),
    Section("python", "ruff and mypy on the grader; spelling and wording", check_python),
    Section("ctest", "unit tests of the device, its runtime, the judge and the labs", run_ctest),
    Section("tidy", "clang-tidy on the cpu build", check_tidy),
    Section("pytest", "tests of the grader", run_pytest, "grader/tests"),
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


def make_strict(workspace: Workspace) -> Workspace:
    """The same checkout with a build of its own, in which warnings are errors.

    Said in the environment, so that the tests' own processes build there too.
    """
    if not workspace.solutions.is_dir():
        return workspace  # a student's compiler may be newer than the ones that we tried
    os.environ[STRICT] = "1"
    os.environ.setdefault("LOCKSTEP_BUILD", str(workspace.root / "build" / "test"))
    return Workspace.from_environment()


def ensure_packages(sections: Sequence[Section]) -> None:
    """The system's packages. Raises FaultError when one is missing that no section can do without.

    All in one call of apt first, if it knows all of them: each call takes several seconds in which
    the cores idle.
    """
    optional: list[tuple[Sequence[Requirement], str]] = [
        ((system.SANDBOX_REQUIREMENT,), "what confines student code is not tested"),
        (system.OPTIONAL_REQUIREMENTS, "checkouts that the tests make are compiled from nothing"),
        ((system.HEADLESS_REQUIREMENT,), "the pages are tested in Chromium if that is installed"),
    ]
    if any(section.run is run_pytest for section in sections):
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


def ensure_tools(workspace: Workspace, sections: Sequence[Section]) -> None:
    """Installs what the sections need. Raises FaultError with the next step when it cannot."""
    ensure_packages(sections)
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
