# SPDX-License-Identifier: MIT
"""A pip that downloads made-up wheels, or does what a test tells it: for the fetchers of .venv."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from lockstep_grader.toolchain import wheels

from conftest import runnable

_FILES = {
    "ziglang": {
        "ziglang/zig": "#!/bin/sh\necho 'clang version 22.1.8 (a build)'\n",
        "ziglang/lib/include/stddef.h": "",
        "ziglang/lib/std/big.zig": "not needed",
        "ziglang-0.17.1.dist-info/METADATA": "",
    },
    "nvidia_cuda_cccl": {
        f"nvidia/cu13/include/cccl/{name}": ""
        for name in ("cuda/atomic", "nv/target", "cub/cub.cuh", "thrust/sort.h", "other/x.h")
    },
    "nvidia_cuda_crt": {"nvidia/cu13/include/crt/host_config.h": ""},
    "nvidia_cuda_nvcc": {"nvidia/cu13/bin/nvcc": "", "nvidia/cu13/bin/ptxas": ""},
    "nvidia_cuda_runtime": {"nvidia/cu13/include/cuda_runtime.h": ""},
    "nvidia_nvvm": {"nvidia/cu13/nvvm/bin/cicc": ""},
}


class FakePip:
    """`does` gives it a script, in which $dest is the folder and $pin the package."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.log, self._program, self._wheels = root / "log", root / "pip", root / "wheels"
        self._wheels.mkdir()
        for name, files in _FILES.items():
            self._make(name, files)
        self.copies = (
            f'echo "$pin" >> {self.log}; name=${{pin%%==*}}; '
            f'cp {self._wheels}/${{name//-/_}}-1-py3-none-any.whl "$dest"'
        )
        self.does(self.copies)
        monkeypatch.setattr(wheels, "pip_command", lambda *_: [str(self._program)])

    def _make(self, name: str, files: Mapping[str, str]) -> None:
        with zipfile.ZipFile(self._wheels / f"{name}-1-py3-none-any.whl", "w") as wheel:
            for file, text in files.items():
                wheel.writestr(file, text)

    def does(self, script: str) -> None:
        runnable(self._program, f"#!/bin/bash\ndest=$5 pin=$6\n{script}\n")

    @property
    def asked(self) -> list[str]:
        """The pins of what it has copied so far."""
        return self.log.read_text().splitlines() if self.log.exists() else []
