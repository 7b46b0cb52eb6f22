# SPDX-License-Identifier: MIT
"""The emulator's sources lie in rooms, and include one another in one direction, without cycles."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

SIMT = Path(__file__).parents[2] / "common" / "simt"
SOURCES = SIMT / "src"

# Each room, and the rooms that it may include besides its own. CONTRIBUTING.md explains them.
ALLOWED: Mapping[str, frozenset[str]] = {
    "program": frozenset(),
    "report": frozenset({"program"}),
    "run": frozenset({"program", "report"}),
    "check": frozenset({"program", "report", "run"}),
    "count": frozenset({"program", "run"}),
    "record": frozenset({"program", "run", "count"}),
    "hooks": frozenset({"program", "report", "run", "check", "count", "record"}),
    "host": frozenset({"run"}),
}
HOST_MAY_INCLUDE = {"run/stream_order.h", "run/device_lock.h", "run/set_aside.h"}  # of the device

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
Graph = dict[str, set[str]]


def room_folders(sources: Path) -> dict[str, Path]:
    """Room -> its folder. A file between the rooms has none."""
    return {"host": sources / "host"} | {
        folder.name: folder for folder in (sources / "device").iterdir() if folder.is_dir()
    }


def includes(sources: Path) -> Iterator[tuple[str, str, str]]:
    """(room, file, what it includes) for each include of a header of the emulator's own sources."""
    for room, folder in room_folders(sources).items():
        for file in sorted(folder.rglob("*.[ch]*")):
            for name in INCLUDE.findall(file.read_text("utf-8")):
                if not name.startswith("simt/"):  # the public headers, which belong to no room
                    yield room, f"{room}/{file.name}", name


def against_direction(sources: Path) -> list[str]:
    """One line for each include that the table does not allow."""
    wrong = []
    for room, file, name in includes(sources):
        target = name.split("/")[0] if "/" in name else room
        if name.startswith("."):
            wrong.append(f"{file} includes {name}: spell it from src/device on")
        elif target not in ALLOWED:
            wrong.append(f"{file} includes {name}, which is in no room")
        elif target != room and target not in ALLOWED.get(room, frozenset()):
            allowed = ", ".join(sorted(ALLOWED.get(room, frozenset()))) or "none"
            wrong.append(f"{file} includes {name}: {room} may include no other room than {allowed}")
        elif room == "host" and target != "host" and name not in HOST_MAY_INCLUDE:
            wrong.append(f"{file} includes {name}: the host side may not know it")
    return wrong


def module(name: str, room: str) -> str:
    """run/block of run/block.h and run/block.cpp."""
    return name.rsplit(".", 1)[0] if "/" in name else f"{room}/{name.rsplit('.', 1)[0]}"


def modules(sources: Path) -> Graph:
    """A header and the source file of the same name are one module."""
    graph: Graph = {}
    for room, file, name in includes(sources):
        own, other = module(file, room), module(name, room)
        graph.setdefault(other, set())
        graph.setdefault(own, set()).update({other} - {own})
    return graph


def cycle(graph: Graph) -> list[str]:
    """The modules of one include cycle, the first again at the end; empty if there is none."""
    done: set[str] = set()

    def search(path: list[str]) -> list[str]:
        if path[-1] in path[:-1]:
            return path[path.index(path[-1]) :]
        if path[-1] in done:
            return []
        for other in sorted(graph[path[-1]]):
            if found := search([*path, other]):
                return found
        done.add(path[-1])
        return []

    return next((found for start in sorted(graph) if (found := search([start]))), [])


def write(sources: Path, files: Mapping[str, str]) -> Path:
    for name, text in ({f"device/{room}/empty.h": "" for room in ALLOWED} | dict(files)).items():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        (sources / name).write_text(text, "utf-8")
    (sources / "host").mkdir(exist_ok=True)
    return sources


def test_every_source_file_is_in_a_room() -> None:
    assert set(room_folders(SOURCES)) == set(ALLOWED)
    assert [file.name for file in (SOURCES / "device").iterdir() if file.is_file()] == []
    assert len(list(includes(SOURCES))) > 200


def test_no_include_goes_against_the_direction() -> None:
    assert against_direction(SOURCES) == []


def test_no_modules_include_each_other_in_a_circle() -> None:
    assert " -> ".join(cycle(modules(SOURCES))) == ""


def test_an_include_against_the_direction_is_named(tmp_path: Path) -> None:
    sources = write(tmp_path, {"device/run/grid.cpp": '#include "check/order.h"\n'})
    assert against_direction(sources) == [
        "run/grid.cpp includes check/order.h: run may include no other room than program, report"
    ]


def test_the_host_side_is_reached_by_no_include(tmp_path: Path) -> None:
    sources = write(tmp_path, {"device/check/order.cpp": '#include "../../host/heap.h"\n'})
    assert against_direction(sources) == [
        "check/order.cpp includes ../../host/heap.h: spell it from src/device on"
    ]


def test_a_circle_is_named(tmp_path: Path) -> None:
    files = {
        "device/run/grid.cpp": '#include "run/grid.h"\n#include "run/block.h"\n',
        "device/run/block.h": '#include "run/fiber.h"\n',
        "device/run/fiber.cpp": '#include "run/grid.h"\n',
    }
    found = cycle(modules(write(tmp_path, files)))
    assert found == ["run/block", "run/fiber", "run/grid", "run/block"]
