# SPDX-License-Identifier: MIT
"""What CMake writes for the grader into lockstep.json: how to compile a rung, and who judges it."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Backend

_VERSION = 1

# The linker that CMake chooses where it is installed, for its speed.
_QUICK_LINKER = "-fuse-ld=gold"


@dataclass(frozen=True)
class Step:
    """One command of a compilation.

    For a rung, `argv` may hold {source} {work} {include} {calls}; for a program of its own,
    {source} {object} {work} {std}.
    """

    name: str
    argv: tuple[str, ...]
    at_once: bool = False  # with the steps before and after it that are marked so, too

    def filled(self, **values: Path | str) -> tuple[str, ...]:
        filled = []
        for word in self.argv:
            for name, value in values.items():
                word = word.replace(f"{{{name}}}", str(value))
            filled.append(word)
        return tuple(filled)


@dataclass(frozen=True)
class LabTools:
    judge: Path  # the gtest executable
    calls: Path  # the worker's side of the lab's calls
    include: Path  # the folder of the contract header


@dataclass(frozen=True)
class Toolchain:
    file: Path
    backend: Backend
    compiler: Mapping[str, str]
    steps: tuple[Step, ...]
    anchors: Path | None
    labs: Mapping[str, LabTools]
    nvcc: Mapping[str, str] = field(default_factory=dict)  # that compiles rungs, too
    program: Mapping[str, Step] = field(default_factory=dict)  # how `run` builds one, by name
    features: frozenset[str] = frozenset()  # what this backend can find beyond wrong results
    root: str = ""  # the checkout's folder
    device: Path | None = None  # the program that plays the device, on cpu

    def lab(self, lab_id: str) -> LabTools:
        if lab_id not in self.labs:
            raise FaultError(
                f"{self.file} names no judge for {lab_id}: has labs/{lab_id} a lab.toml?"
            )
        return self.labs[lab_id]

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """All that a rung is compiled with or linked to, as far as it is ours."""
        words = [word for step in self.steps for word in step.argv]
        files = {Path(word) for word in words if Path(word).is_absolute() and Path(word).is_file()}
        folders = {Path(word.removeprefix("-I")) for word in words}
        for folder in folders:
            if folder.is_absolute() and folder.is_dir() and not folder.is_relative_to("/usr"):
                files.update(file for file in folder.rglob("*") if file.is_file())
        files = {file for file in files if file.suffix not in (".gch", ".pch")}  # of the headers
        files = {file for file in files if ".venv" not in file.parts}  # `compiler` has versions
        return (self.file, *sorted(files), *filter(None, (self.anchors, self.device)))

    @cached_property
    def digest(self) -> str:
        """Changes with any of the `files`, but not with the folders of checkout and build."""
        others = sorted((self._placeless(str(file)), file) for file in self.files[1:])
        names = "\n".join([self._placeless(self.file.read_text("utf-8")), *(n for n, _ in others)])
        return hashlib.sha256(f"{names} {digest(file for _, file in others)}".encode()).hexdigest()

    def _placeless(self, text: str) -> str:
        text = text.replace(str(self.file.parent), "BUILD")  # mostly in the checkout
        return text.replace(self.root, "ROOT") if self.root else text


def with_usual_linker(argv: Sequence[str]) -> tuple[str, ...]:
    """A link command as it is repeated after a failure: GNU ld names more lines in its errors."""
    return tuple(word for word in argv if word != _QUICK_LINKER)


def read_toolchain(file: Path) -> Toolchain:
    """Reads and checks lockstep.json. Raises FaultError when it is missing or not as agreed."""
    try:
        data = json.loads(file.read_text("utf-8"))
        if data["version"] != _VERSION:
            raise FaultError(f"{file}: version {data['version']}, but this grader reads {_VERSION}")
        return _toolchain(file, data)
    except OSError as error:
        raise FaultError(f"{file}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FaultError(f"{file}: not the toolchain file that CMake writes ({error!r})") from error


def digest(files: Iterable[Path]) -> str:
    """A hash over the contents of `files`, in their order."""
    whole = hashlib.sha256()
    for file in files:
        whole.update(hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()


def _toolchain(file: Path, data: Any) -> Toolchain:
    anchors, device = data.get("anchors"), data.get("device")
    return Toolchain(
        file=file,
        backend=Backend(data["backend"]),
        compiler={str(key): str(value) for key, value in data["compiler"].items()},
        steps=tuple(map(_step, data["steps"])),
        anchors=Path(anchors) if anchors else None,
        labs={
            lab_id: LabTools(Path(lab["judge"]), Path(lab["calls"]), Path(lab["include"]))
            for lab_id, lab in data["labs"].items()
        },
        program={step["name"]: _step(step) for step in data.get("program", ())},
        features=frozenset(map(str, data.get("features", ()))),
        root=str(data.get("root", "")),
        device=Path(device) if device else None,
    )


def _step(data: Any) -> Step:
    return Step(data["name"], tuple(map(str, data["argv"])), bool(data.get("at_once")))
