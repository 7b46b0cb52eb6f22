# SPDX-License-Identifier: MIT
"""The judge's sources lie in rooms, and include one another in one direction."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

JUDGE = Path(__file__).parents[2] / "common" / "judge"
# Each room, and the rooms that it may include besides its own. CONTRIBUTING.md explains them.
ALLOWED: Mapping[str, frozenset[str]] = {
    "protocol": frozenset(),
    "worker": frozenset({"protocol"}),
    "process": frozenset({"protocol"}),
    "fixture": frozenset({"protocol", "process"}),
    "measure": frozenset({"protocol", "process", "fixture"}),
    "picture": frozenset(),
}
BESIDE = {"anchors", "tests"}  # programs of their own
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
# Headers for kernels, the emulator's, and the machine's.
ELSEWHERE = ("lab/", "../../device/count/", "../../device/time/", "lockstep_runtime.h")


def against_direction(judge: Path) -> Iterator[str]:
    for room, allowed in ALLOWED.items():
        for file in sorted((judge / room).rglob("*.*")):
            for name in INCLUDE.findall(file.read_text("utf-8")):
                target = name.split("/")[0]
                if not name.startswith(ELSEWHERE) and target not in {room, *allowed, "@slug@.cuh"}:
                    yield f"{room}/{file.name} includes {name}"


def test_every_source_file_is_in_a_room() -> None:
    assert {path.name for path in JUDGE.iterdir() if path.is_dir()} == {*ALLOWED, *BESIDE}
    files = {path.name for path in JUDGE.iterdir() if path.is_file()}
    assert files == {"CMakeLists.txt", "judge.cpp", "judge.h"}


def test_no_include_goes_against_the_direction() -> None:
    assert list(against_direction(JUDGE)) == []


def test_an_include_against_the_direction_is_named(tmp_path: Path) -> None:
    (tmp_path / "process").mkdir()
    (tmp_path / "process" / "worker.h").write_text('#include "fixture/options.h"\n')
    assert list(against_direction(tmp_path)) == ["process/worker.h includes fixture/options.h"]
