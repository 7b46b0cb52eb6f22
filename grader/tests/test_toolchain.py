# SPDX-License-Identifier: MIT
"""The toolchain's digest: what makes a stored result another one."""

from pathlib import Path

from lockstep_grader.model.grades import Backend
from lockstep_grader.toolchain.description import Step, Toolchain


def digest_of(folder: Path) -> str:
    step = Step("compile", ("c++", f"-I{folder / 'include'}", str(folder / "library.a")))
    file = folder / "lockstep.json"
    return Toolchain(file, Backend.CPU, {}, (step,), anchors=None, labs={}).digest


def test_the_digest_is_that_of_every_file_a_rung_is_made_with(tmp_path: Path) -> None:
    for name in ("lockstep.json", "library.a", "include/a.h"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    seen = [digest_of(tmp_path)]
    for name in ("lockstep.json", "library.a", "include/a.h", "include/b.h"):
        (tmp_path / name).write_text(f"another {name}")
        seen.append(digest_of(tmp_path))
    assert len(set(seen)) == len(seen)


def test_precompiled_headers_are_as_good_as_the_headers(tmp_path: Path) -> None:
    for name in ("lockstep.json", "library.a"):
        (tmp_path / name).write_text(name)
    (tmp_path / "include").mkdir()
    before = digest_of(tmp_path)
    (tmp_path / "include/a.h.gch").write_bytes(b"differs from build to build")
    assert digest_of(tmp_path) == before
