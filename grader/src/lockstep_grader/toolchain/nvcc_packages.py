# SPDX-License-Identifier: MIT
"""NVIDIA's packages with nvcc: which of them an environment holds whole."""

import sys
from pathlib import Path

_ROOT = Path(__file__).parents[4]
VENV = _ROOT / ".venv"
REQUIREMENTS = _ROOT / "grader" / "requirements-nvcc.txt"
DONE = "nvcc.txt"  # in .venv: the lines of requirements-nvcc.txt that are installed
# Of each package: a file by which its presence is known, and megabytes to fetch.
_PACKAGES = {
    "nvidia-cuda-cccl": ("include/cccl/cuda/atomic", 4),
    "nvidia-cuda-crt": ("include/crt/host_config.h", 0),
    "nvidia-cuda-nvcc": ("bin/nvcc", 47),
    "nvidia-cuda-runtime": ("include/cuda_runtime.h", 3),
    "nvidia-nvvm": ("nvvm/bin/cicc", 75),
}
MEGABYTES = sum(size for _, size in _PACKAGES.values())


def pins() -> list[str]:
    return _lines(REQUIREMENTS)


def missing(venv: Path = VENV) -> list[str]:
    """The lines of requirements-nvcc.txt that are not, or not whole, in `venv`."""
    done = _lines(venv / DONE)
    return [pin for pin in pins() if pin not in done or not piece(venv, pin).is_file()]


def size(pin: str) -> int:
    return _PACKAGES[pin.partition("==")[0]][1]


def nvcc_of(venv: Path = VENV) -> str:
    """nvcc, where `venv` is this Python's environment and holds all that it needs."""
    whole = Path(sys.prefix) == venv and pins() and not missing(venv)
    return str(piece(venv, "nvidia-cuda-nvcc")) if whole else ""


def piece(venv: Path, pin: str) -> Path:
    """The file by which the package's presence in `venv` is known."""
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folder = venv / "lib" / python / "site-packages" / "nvidia" / "cu13"
    return folder / _PACKAGES[pin.partition("==")[0]][0]


def _lines(file: Path) -> list[str]:
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError:
        return []
    return [line for line in lines if line and not line.startswith("#")]
