# SPDX-License-Identifier: MIT
"""NVIDIA's CCCL, with Thrust: from the CUDA toolkit, or from PyPI, as nvcc is."""

import os
from pathlib import Path

from lockstep_grader.toolchain.nvcc_packages import VENV, piece
from lockstep_grader.toolchain.system import USUAL_NVCC, toolkit_nvcc

VARIABLE = "LOCKSTEP_CCCL"  # "off": programs with Thrust are built as if it were not here
_HEADER = Path("thrust", "version.h")


def cccl_folder(venv: Path = VENV) -> Path | None:
    """The folder of its headers; None where there is none."""
    if os.environ.get(VARIABLE) == "off":
        return None
    candidates = []
    for nvcc in filter(None, (toolkit_nvcc(), USUAL_NVCC)):  # the first may be a script
        include = Path(nvcc).resolve().parents[1] / "include"
        candidates += [include / "cccl", include]  # since CUDA 13, and before
    candidates.append(piece(venv, "nvidia-cuda-cccl").parents[1])
    return next((folder for folder in candidates if (folder / _HEADER).is_file()), None)
