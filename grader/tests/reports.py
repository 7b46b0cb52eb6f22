# SPDX-License-Identifier: MIT
"""Made-up results of a made-up lab, as `grade` would write them, for the tests of the pages."""

import json
import zlib
from pathlib import Path
from typing import Any

import made_up_grades
from lockstep_grader.intake.catalog import read_lab
from lockstep_grader.model.grades import Lab
from made_up_grades import Points, document, judged

from conftest import DATA

EVIL = "<script>alert(1)</script>"
RUNGS = ("01_first", "02_second", "03_third")
LAB_TOML = (DATA / "demo_of_three.toml").read_text("utf-8")
SOURCE = "".join(
    f"  d_out[{line}] = d_in[{line}] * {line};  // line {line}\n" for line in range(1, 41)
)
_POINTS = {"01_first": (2, 1, 1), "02_second": (4, 1, 0), "03_third": (2, 0, 0)}


def demo_lab(folder: Path) -> Lab:
    file = folder / "01-demo" / "lab.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(LAB_TOML)
    return read_lab(file)


def finding(kind: str = "race", line: int | None = 20, message: str = "") -> dict[str, Any]:
    said = message or f"a {kind} it is"
    return {"kind": kind, "file": "01_first.cu", "line": line, "message": said}


def one_test(name: str = "Demo.Works", **changes: Any) -> dict[str, Any]:
    return {**judged(name), "seconds": 0.5, **changes}


def measured(**measures: float) -> dict[str, Any]:
    return one_test("Measured.KeepsItsBudget", part="efficiency", measures=measures)


def rung(name: str, *share: float | None, **changes: Any) -> dict[str, Any]:
    """`share` is the part of the points earned: one for all parts, or one each; None: no grade."""
    shares = share * 3 if len(share) == 1 else share
    points: list[Points] = [
        (None if earned is None else most * earned, most)
        for earned, most in zip(shares, _POINTS[name], strict=True)
    ]
    return {**made_up_grades.rung(name, *points), "tests": [one_test()], **changes}


def todo(name: str) -> dict[str, Any]:
    return rung(name, 0, findings=[finding("todo", 1, "TODO: write it")])


def submission(name: str, *rungs: dict[str, Any], **changes: Any) -> dict[str, Any]:
    labs = [made_up_grades.lab("01-demo", rungs)] if rungs else []
    return {**made_up_grades.submission(name, labs), "max_score": 11, **changes}


def full(name: str, **changes: Any) -> dict[str, Any]:
    first = rung("01_first", 1, tests=[one_test(), measured(bank_conflicts=0, sector_efficiency=1)])
    return submission(name, first, rung("02_second", 1), rung("03_third", 1), **changes)


def write_results(folder: Path, *submissions: dict[str, Any], **changes: Any) -> Path:
    """A results folder with sources and scores."""
    compiler = {"id": "GNU", "version": "12.2.0", "path": "/usr/bin/g++"}
    data = {
        **document(submissions),
        "graded_at": "2026-03-01T12:00:00+00:00",
        "toolchain": {"grader": "0.1.0", "compiler": compiler, "digest": "0" * 64},
        "seed": 1,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "grade.json").write_text(json.dumps({**data, **changes}))
    return folder


def write_beside(folder: Path, owner: str, name: str, data: str | bytes) -> None:
    file = folder / owner / "01-demo" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data.encode() if isinstance(data, str) else data)


def png() -> bytes:
    """One grey pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")

    head = chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]))
    pixel = chunk(b"IDAT", zlib.compress(bytes([0, 128])))
    return b"\x89PNG\r\n\x1a\n" + head + pixel + chunk(b"IEND", b"")


def write_class(folder: Path) -> Path:
    """A class with everything that a page has to show."""
    conflicts = {"bank_conflicts": {"file": "01_first.cu", "line": 12, "value": 300}}
    costly = measured(bank_conflicts=400, sector_efficiency=0.75)
    printed = one_test(
        outcome="failed",
        message=f"expected 1, got 2 {EVIL}",
        output=f"\x1b[31m{EVIL}\n::notice::hello",
        findings=[finding(message=f"thread 0 races {EVIL}")],
    )
    pictures = one_test(images=[{"label": "result", "file": "03_third.result.png"}])
    write_results(
        folder,
        full("adams", student={"name": "A. Adams", "section": "A"}),
        submission(
            "brown",
            rung("01_first", 1, 1, 0.5, tests=[one_test(), {**costly, "places": conflicts}]),
            rung("02_second", 0, outcome="skipped"),
            rung("03_third", 0.5, tests=[pictures]),
            student={"name": "B. Brown", "section": "B"},
        ),
        submission(
            EVIL,
            rung("01_first", 0, findings=[finding(message=EVIL)], tests=[printed]),
            todo("02_second"),
            todo("03_third"),
            student={"name": EVIL, "section": "B"},
        ),
        submission("clark", *(todo(name) for name in RUNGS), student={"section": "A"}),
        submission("davis", rung("01_first", None), rung("02_second", 1), rung("03_third", 1)),
        submission("evans", score=0, problem=f"the archive is damaged {EVIL}"),
    )
    for owner in ("adams", "brown"):
        write_beside(folder, owner, "01_first.cu", f"{SOURCE}// {EVIL}\n")
    write_beside(folder, "brown", "03_third.result.png", png())
    return folder
