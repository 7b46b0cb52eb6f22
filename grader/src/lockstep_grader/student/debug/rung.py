# SPDX-License-Identifier: MIT
"""A rung for the debugger: a judge makes one call of it, without time limits."""

from pathlib import Path

from lockstep_grader.model.errors import FaultError
from lockstep_grader.student.debug.target import Target, rung_target
from lockstep_grader.student.program.build import compile_step
from lockstep_grader.toolchain.description import LabTools, Toolchain


def build_rung(
    toolchain: Toolchain, tools: LabTools, rung_id: str, call: tuple[Path, int], work: Path
) -> Target:
    """`call`: the rung's file, and the size of the call. Raises BuildError."""
    source, size = call
    if toolchain.device is None:
        raise FaultError("the toolchain has no device: build the cpu backend anew")
    for step in toolchain.steps:
        if step.name == "device":  # kernels as compiled, which no debugger can follow
            continue
        argv = step.filled(source=source, work=work, include=tools.include, calls=tools.calls)
        compile_step(argv, work)
    written = work / "written.ptx"
    return rung_target(tools.judge, rung_id, work / "worker", toolchain.device, written, size)
