# SPDX-License-Identifier: MIT
"""Kernels that declare more shared memory than a block can have: clang lets them pass.

NVIDIA's assembler refuses them, where it is installed.
"""

import re
from pathlib import Path

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.toolchain.nvcc import demangle

_MOST_BYTES = 48 << 10
# A variable t of the kernel _Z3bigPf is called _ZZ3bigPfE1t.
_SHARED = re.compile(r"^\s*(?:\.\w+ )*\.shared .*?\.b8 _Z(Z\w+)\[(\d+)\]", re.MULTILINE)
_KERNEL = re.compile(r"\.entry (_Z\w+)\(")


def too_much_shared(file: Path, source: Source) -> Finding | None:
    """The first kernel in the PTX that no launch can succeed with."""
    ptx = file.read_text("utf-8", "replace") if file.is_file() else ""
    variables = [(f"_{name}", int(size)) for name, size in _SHARED.findall(ptx)]
    for kernel in _KERNEL.findall(ptx):
        taken = sum(size for name, size in variables if name.startswith(f"{kernel}E"))
        if taken > _MOST_BYTES:
            message = (
                f"the kernel declares {taken} bytes of shared memory; "
                f"a block has at most {_MOST_BYTES}"
            )
            name = demangle([kernel])[0].partition("<")[0]
            lines = source.data.decode("utf-8", "replace").splitlines()
            defined = re.compile(rf"\b{re.escape(name)}\s*\(")
            line = next((at for at, text in enumerate(lines, 1) if defined.search(text)), 0)
            return Finding(FindingKind.COMPILE_ERROR, message, source.file_name, line)
    return None
