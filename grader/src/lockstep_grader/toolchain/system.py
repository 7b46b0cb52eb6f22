# SPDX-License-Identifier: MIT
"""What a backend needs of this system: Debian's packages, nvcc, a GPU. Getting what is missing."""

import contextlib
import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lockstep_grader.machine.process import is_off, output_of
from lockstep_grader.machine.progress import say
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend
from lockstep_grader.toolchain.installers import apt_cause, has_apt, install_command
from lockstep_grader.toolchain.wheels import NVCC, VENV


def nvcc_of(venv: Path = VENV) -> str:
    """nvcc, where `venv` is this Python's environment and holds all that it needs."""
    whole = Path(sys.prefix) == venv and not NVCC.missing(venv)
    return str(venv / NVCC.folder / "bin" / "nvcc") if whole else ""


USUAL_NVCC = "/usr/local/cuda/bin/nvcc"


@dataclass(frozen=True, slots=True)
class Requirement:
    name: str  # as doctor lists it
    package: str  # Debian's and Ubuntu's name for it
    found: Callable[[], str]  # where it is; empty when it is missing
    purpose: str = ""


def program(*names: str) -> Callable[[], str]:
    """Finds the first of `names` on PATH."""
    return lambda: next((path for name in names if (path := shutil.which(name))), "")


def admin_program(name: str) -> Callable[[], str]:
    """Finds a daemon, also where an ordinary user's PATH does not go."""
    return lambda: shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin") or ""


def header(name: str) -> Callable[[], str]:
    """Finds a C++ header where compilers and CMake look."""
    return lambda: _find_header(name, os.environ)


def _compiler() -> str:
    """g++, or what CXX names; never `c++`, which may be a compiler that CMake then refuses."""
    return shutil.which(os.environ.get("CXX") or "g++") or ""


BUILD_REQUIREMENTS = (
    Requirement("C++ compiler", "g++", _compiler, "builds the emulator and the rungs"),
    Requirement("CMake", "cmake", program("cmake"), "configures the build"),
    Requirement("Ninja", "ninja-build", program("ninja"), "runs the build"),
    Requirement("GoogleTest", "libgtest-dev", header("gtest/gtest.h"), "the judges' framework"),
    Requirement("zlib", "zlib1g-dev", header("zlib.h"), "compresses the judges' pictures"),
)
SANDBOX_REQUIREMENT = Requirement(
    "bubblewrap", "bubblewrap", program("bwrap"), "confines student code"
)
OPTIONAL_REQUIREMENTS = (
    Requirement("ccache", "ccache", program("ccache"), "makes rebuilding fast"),
)
SLURM_REQUIREMENTS = (
    Requirement("slurmctld", "slurmctld", admin_program("slurmctld"), "./lab test: a cluster"),
    Requirement("slurmd", "slurmd", admin_program("slurmd"), "./lab test: its nodes"),
    Requirement("munge", "munge", admin_program("munged"), "./lab test: who is who in it"),
    Requirement("sbatch", "slurm-client", program("sbatch"), "./lab test: jobs for it"),
)
# Optional: without a browser the pages are not tested in one. Chromium without its windows needs a
# fifth of the processor time for a page.
_HEADLESS = "chromium-headless-shell"
HEADLESS_REQUIREMENT = Requirement("Chromium", _HEADLESS, program(_HEADLESS), "./lab test")
BROWSER_REQUIREMENTS = (
    replace(HEADLESS_REQUIREMENT, found=program(_HEADLESS, "chromium", "chromium-browser")),
)


INSTALL_VARIABLE = "LOCKSTEP_INSTALL"  # off: as --no-install
_APT_OPTIONS = ("-y", "--no-install-recommends")


def missing(needed: Sequence[Requirement]) -> tuple[Requirement, ...]:
    return tuple(need for need in needed if not need.found())


def ensure(needed: Sequence[Requirement]) -> None:
    """Installs what is missing if it may; otherwise names the one command. Raises FaultError."""
    absent = missing(needed)
    if not absent:
        return
    packages = [need.package for need in absent]
    names = ", ".join(need.name for need in absent)
    if not _may_install():
        as_root = os.geteuid() == 0
        raise FaultError(f"{names} missing; run: {install_command(packages, as_root)}")
    _install(packages, update=True)
    if still := missing(needed):
        gone = ", ".join(need.name for need in still)
        raise FaultError(f"{gone} not found even after installing {' '.join(packages)}")
    if optional := missing(OPTIONAL_REQUIREMENTS):
        with contextlib.suppress(FaultError):
            _install([need.package for need in optional], update=False)


def _may_install() -> bool:
    return os.geteuid() == 0 and has_apt() and not is_off(INSTALL_VARIABLE)


def _install(packages: Sequence[str], *, update: bool) -> None:
    say(f"installing by apt-get: {' '.join(packages)} ... (--no-install forbids it)")
    if update:
        _apt("update")
    _apt("install", *_APT_OPTIONS, *packages)


def offer(need: Requirement) -> None:
    """Installs optional packages, if that needs no person's help."""
    if _may_install() and not need.found():
        try:
            ensure((need,))
        except FaultError as error:
            say(str(error))


def gpu_name() -> str:
    """The first GPU as nvidia-smi lists it; empty when there is none."""
    if not (smi := shutil.which("nvidia-smi")):
        return ""
    return output_of([smi, "-L"]).partition("\n")[0]


def toolkit_nvcc() -> str:
    """nvcc on PATH or where NVIDIA's installer puts it, with all of CUDA; empty: none."""
    return shutil.which("nvcc") or (USUAL_NVCC if Path(USUAL_NVCC).exists() else "")


def pypi_nvcc() -> str:
    """nvcc of NVIDIA's Python packages: it compiles kernels, but has no CUDA library to link."""
    return "" if is_off("LOCKSTEP_NVCC") else nvcc_of()


def detect_backend() -> Backend:
    """cuda where it can be built and run, else cpu."""
    return Backend.CUDA if toolkit_nvcc() and gpu_name() else Backend.CPU


def require_driver() -> None:
    """Raises FaultError where no program can run on a GPU."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise FaultError(
            "the cuda backend needs NVIDIA's driver, which is not on this machine (libcuda.so.1); "
            "--backend cpu needs no GPU"
        ) from error


def _apt(*arguments: str) -> None:
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        ["apt-get", "-q", *arguments], env=env, capture_output=True, text=True, errors="replace"
    )
    if done.returncode != 0:
        raise FaultError(f"apt-get {arguments[0]} failed: {apt_cause(done.stderr or done.stdout)}")


def _find_header(name: str, env: Mapping[str, str]) -> str:
    folders = ["/usr/include", "/usr/local/include"]
    for variable in ("CPATH", "CPLUS_INCLUDE_PATH"):
        folders += env.get(variable, "").split(":")
    for variable in ("CMAKE_PREFIX_PATH", "GTest_ROOT", "GTEST_ROOT", "ZLIB_ROOT"):
        folders += [f"{prefix}/include" for prefix in env.get(variable, "").split(":") if prefix]
    for folder in filter(None, folders):
        if (Path(folder) / name).is_file():
            return str(Path(folder) / name)
    return ""
