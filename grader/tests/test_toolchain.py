# SPDX-License-Identifier: MIT
"""The toolchain's digest: what makes a stored result another one."""

from pathlib import Path

from lockstep_grader.model.grades import Backend
from lockstep_grader.toolchain.description import Step, Toolchain


def digest_of(folder: Path, root: str = "") -> str:
    step = Step("compile", ("c++", f"-I{folder / 'include'}", str(folder / "library.a")))
    file = folder / "lockstep.json"
    return Toolchain(file, Backend.CPU, {}, (step,), None, {}, root=root).digest


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


def test_what_a_version_stands_for_is_not_read(tmp_path: Path) -> None:
    step = Step("device", (str(tmp_path / ".venv/clang/zig"), "-isystem", "/usr/include"))
    for name in ("lockstep.json", ".venv/clang/zig", "lockstep_device"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    device = tmp_path / "lockstep_device"
    files = Toolchain(
        tmp_path / "lockstep.json", Backend.CPU, {}, (step,), None, {}, device=device
    ).files
    assert files == (tmp_path / "lockstep.json", device)


def test_the_place_of_checkout_and_build_makes_no_difference(tmp_path: Path) -> None:
    seen = set()
    for root, build in (("a", "a/build/cpu"), ("b/c", "b/c/build/cpu"), ("b/c", "elsewhere/cpu")):
        folder = tmp_path / build
        (folder / "include").mkdir(parents=True)
        (folder / "include" / "a.h").write_text("a")
        (folder / "library.a").write_text("l")
        (folder / "lockstep.json").write_text(f"{tmp_path / root}/common {folder}/library.a")
        seen.add(digest_of(folder, str(tmp_path / root)))
    assert len(seen) == 1
    (folder / "library.a").rename(folder / "include" / "library.a")
    (folder / "library.a").write_text("a")
    assert digest_of(folder, str(tmp_path / root)) not in seen
