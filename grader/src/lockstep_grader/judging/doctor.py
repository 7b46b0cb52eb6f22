# SPDX-License-Identifier: MIT
"""What this machine has, what is missing, and how to get it."""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lockstep_grader.confine.memory_group import NoMemoryGroup, find_memory_group
from lockstep_grader.confine.sandbox import Sandbox, find_sandbox
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.text import one_line
from lockstep_grader.toolchain import system
from lockstep_grader.toolchain.clang import ensure_cccl, ensure_clang
from lockstep_grader.toolchain.installers import install_command
from lockstep_grader.toolchain.nvcc import (
    SANITIZER_ADVICE,
    NoRungCompiler,
    find_sanitizer,
    rung_compiler,
)
from lockstep_grader.toolchain.nvcc_setup import state_of_nvcc
from lockstep_grader.toolchain.system import (
    BROWSER_REQUIREMENTS,
    BUILD_REQUIREMENTS,
    OPTIONAL_REQUIREMENTS,
    SLURM_REQUIREMENTS,
    Requirement,
)

PYTHON_PACKAGES = (
    "typer",
    "rich",
    "pydantic",
    "watchfiles",
    "jinja2",
    "pygments",
    "submitit",
    "elftools",
)
PYTHON_BROWSER_PACKAGES = ("playwright", "axe_playwright_python")
PYTHON_SIMILARITY_PACKAGES = ("copydetect",)
PYTHON_DEVELOPER_PACKAGES = (
    *("pytest", "jsonschema", "xmlschema", "ruff", "mypy"),
    *("codespell_lib", "clang_format", "clang_tidy"),
)

_FOR_AUTHORS = ("cluster tests", "browser tests", "development", "similarity")
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Item:
    group: str
    name: str
    found: str  # where, or which version; empty: missing
    advice: str = ""  # what to do when it is missing


def examine(is_students_copy: bool = False) -> tuple[Item, ...]:
    """What is here. A students' copy needs none of what only our own tests use.

    clang is fetched where it is missing.
    """
    needed = (
        *_packages("build", BUILD_REQUIREMENTS),
        *_clang(),
        *_packages("optional", OPTIONAL_REQUIREMENTS),
        _sandbox(),
        _memory_limit(),
        _rung_compiler(),
        *_cuda(),
        *_packages("cluster tests", SLURM_REQUIREMENTS),
        *_packages("browser tests", BROWSER_REQUIREMENTS),
        *_python("grader", PYTHON_PACKAGES, "grader/requirements.txt"),
        *_python("development", PYTHON_DEVELOPER_PACKAGES, "grader/requirements-dev.txt"),
        *_python("browser tests", PYTHON_BROWSER_PACKAGES, "grader/requirements-dev.txt"),
        *_python("similarity", PYTHON_SIMILARITY_PACKAGES, "grader/requirements-similarity.txt"),
    )
    return tuple(item for item in needed if not (is_students_copy and item.group in _FOR_AUTHORS))


def cpu_ready(items: Sequence[Item]) -> bool:
    """Whether `./lab grade` can work here without a GPU."""
    return all(item.found for item in items if item.group == "build")


def print_items(console: Console, items: Sequence[Item]) -> None:
    table = Table(box=None)
    for name in ("for", "what", "here", "what to do"):
        table.add_column(name, overflow="fold")
    for item in items:
        here = Text(item.found, "green") if item.found else Text("missing", "red")
        table.add_row(item.group, item.name, here, "" if item.found else item.advice)
    console.print(table)
    backend = system.detect_backend()
    console.print(f"\n./lab grade uses the {backend} backend here.")


def _packages(group: str, needed: Sequence[Requirement]) -> Iterator[Item]:
    as_root = os.geteuid() == 0
    for need in needed:
        path = need.found()
        yield Item(
            group,
            need.name,
            f"{path} {_version(path)}".strip(),
            f"{need.purpose}: {install_command([need.package], as_root)}",
        )


def _sandbox() -> Item:
    """Only `grade` of other people's submissions needs it."""
    found = find_sandbox(system.detect_backend())
    if isinstance(found, Sandbox):
        return Item("sandbox", "bubblewrap", f"{found.program} {_version(found.program)} works")
    return Item("sandbox", "bubblewrap", "", f"grade needs it: {found.reason}")


def _memory_limit() -> Item:
    """Which of the two limits of a worker's memory is in force."""
    found = find_memory_group()
    if isinstance(found, NoMemoryGroup):
        return Item("sandbox", "memory limit", f"pages are counted: {found.reason}")
    return Item("sandbox", "memory limit", f"the kernel's, in {found}")


def _cuda() -> Iterator[Item]:
    toolkit = system.toolkit_nvcc()
    advice = "only for the cuda backend: NVIDIA's CUDA toolkit, https://developer.nvidia.com/cuda-downloads"
    yield Item("cuda backend", "CUDA toolkit", f"{toolkit} {_version(toolkit)}".strip(), advice)
    gpu = one_line(system.gpu_name())
    yield Item("cuda backend", "GPU", gpu, "only for the cuda backend: a GPU and NVIDIA's driver")
    sanitizer = find_sanitizer()
    advice = f"without it cleanliness is not judged on cuda; {SANITIZER_ADVICE}"
    found = str(sanitizer.program) if sanitizer else ""
    yield Item("cuda backend", "compute-sanitizer", found, advice)


def _clang() -> Iterator[Item]:
    """The compiler of kernels, and what they include."""
    for name, words in (("clang", lambda: ensure_clang().words), ("CCCL", ensure_cccl)):
        try:
            yield Item("build", name, str(words()))
        except FaultError as error:
            yield Item("build", name, "", str(error))


def _rung_compiler() -> Item:
    """nvcc, of the toolkit or from PyPI: it compiles every rung, as clang does."""
    found = rung_compiler()
    if isinstance(found, NoRungCompiler):
        return Item("real compiler", "nvcc", "", f"{found.reason}; {state_of_nvcc()}")
    origin = "the toolkit" if found.path == system.toolkit_nvcc() else "PyPI"
    here = f"{found.path} {found.version}, from {origin}, with {found.host}"
    return Item("real compiler", "nvcc", here)


def _python(group: str, names: Sequence[str], file: str) -> Iterator[Item]:
    for name in names:
        spec = importlib.util.find_spec(name)
        found = os.path.dirname(spec.origin) if spec and spec.origin else ""
        yield Item(group, name, found, f"{sys.executable} -m pip install -r {file}")


def _version(path: str) -> str:
    """The version that the program prints; empty for a header or a silent program."""
    if not path or not os.access(path, os.X_OK):
        return ""
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    # nvcc gives its release on the fourth line, everyone else on the first.
    versions = _VERSION.findall(said.stdout)
    return versions[-1] if "nvcc" in path and versions else next(iter(versions), "")
