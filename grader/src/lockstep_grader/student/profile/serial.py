# SPDX-License-Identifier: MIT
"""A profile as JSON; schemas/profile.schema.json describes it."""

from typing import Any

from lockstep_grader import __version__
from lockstep_grader.model.grades import Finding
from lockstep_grader.results.serial import resources_json
from lockstep_grader.student.profile.cost import diagnose
from lockstep_grader.student.profile.model import Kernel, Line, Pattern, SizeProfile
from lockstep_grader.student.profile.run import Profile
from lockstep_grader.student.profile.terminal import MULTIPROCESSORS
from lockstep_grader.toolchain.description import Toolchain

PROFILE_VERSION = 1


def profile_json(profile: Profile, toolchain: Toolchain) -> dict[str, Any]:
    """What `profile --json` writes."""
    known = profile.resources
    return {
        "version": PROFILE_VERSION,
        "backend": toolchain.backend.value,
        "toolchain": {
            "grader": __version__,
            "compiler": dict(toolchain.compiler),
            "nvcc": dict(toolchain.nvcc),
            "digest": toolchain.digest,
        },
        "lab": profile.lab.id,
        "rung": profile.rung.id,
        "sizes": [_size(size) for size in profile.sizes],
        "resources": None if isinstance(known, str) else [resources_json(item) for item in known],
    }


def _size(size: SizeProfile) -> dict[str, Any]:
    return {
        "num_items": size.num_items,
        "items": size.items,
        "outcome": size.outcome.value,
        "message": size.message,
        "findings": [_finding(finding) for finding in size.findings],
        "measures": dict(size.measures),
        "kernels": [_kernel(kernel, size.items) for kernel in size.kernels],
    }


def _kernel(kernel: Kernel, items: float) -> dict[str, Any]:
    diagnosis = diagnose(kernel, items, MULTIPROCESSORS)
    return {
        "name": kernel.name,
        "launches": kernel.launches,
        "grid": list(kernel.grid),
        "block": list(kernel.block),
        "static_shared_bytes": kernel.static_shared_bytes,
        "dynamic_shared_bytes": kernel.dynamic_shared_bytes,
        "occupancy": {
            "blocks": kernel.occupancy.blocks,
            "warps": kernel.occupancy.warps,
            "of_warps": kernel.occupancy.of_warps,
            "limiter": kernel.occupancy.limiter,
        },
        "diagnosis": {"rule": diagnosis.rule, "sentence": diagnosis.sentence},
        "counters": dict(kernel.counters),
        "lines": [_line(line) for line in kernel.lines],
    }


def _line(line: Line) -> dict[str, Any]:
    return {
        "file": line.file,
        "line": line.line or None,
        "counters": dict(line.counters),
        "patterns": [_pattern(pattern) for pattern in line.patterns],
    }


def _pattern(pattern: Pattern) -> dict[str, Any]:
    return {
        "space": pattern.space,
        "access": pattern.access,
        "size_bytes": pattern.size_bytes,
        "base": pattern.base,
        "offsets": list(pattern.offsets),
        "sectors" if pattern.space == "global" else "wavefronts": pattern.passes,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "file": finding.file,
        "line": finding.line or None,
        "message": finding.message,
    }
