# SPDX-License-Identifier: MIT
"""What CMake makes of this very checkout: the compiler that it takes, and the flags."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lockstep_grader.model.text import one_line

from conftest import runnable
from repository import REPOSITORY

FILE_BY_FILE = "-DCMAKE_UNITY_BUILD=OFF"
OURS = (f"{REPOSITORY}/common/", f"{REPOSITORY}/labs/")


def configure(folder: Path, *options: str, path: Path | None = None, **env: str) -> str:
    """Configures the cpu backend in `folder` and returns CMake's output, on one line."""
    clean = {name: value for name, value in os.environ.items() if name not in ("CXX", "CXXFLAGS")}
    if path:
        env["PATH"] = f"{path}:{clean['PATH']}"
    done = subprocess.run(
        ["cmake", "--preset", "cpu", "-B", folder, *options],
        cwd=REPOSITORY,
        env=clean | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert (done.returncode == 0) == (folder / "lockstep.json").is_file(), done.stdout
    return one_line(done.stdout)


def flags_of_our_files(folder: Path) -> list[list[str]]:
    commands = json.loads((folder / "compile_commands.json").read_text())
    flags = [entry["command"].split() for entry in commands if entry["file"].startswith(OURS)]
    assert len(flags) > 50  # file by file: several as one are files of the build's
    return flags


def compiler_of(folder: Path) -> dict[str, str]:
    compiler = json.loads((folder / "lockstep.json").read_text())["compiler"]
    return {str(name): str(value) for name, value in compiler.items()}


def host_compiler_of(folder: Path) -> str:
    """Of everything except rungs."""
    steps = json.loads((folder / "lockstep.json").read_text())["steps"]
    return str(next(step["argv"][0] for step in steps if step["name"] == "link"))


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    runnable(path, f"#!/bin/sh\n{script}\n")
    return path


def test_a_users_build_shows_warnings_and_ends_on_none(tmp_path: Path) -> None:
    configure(tmp_path, FILE_BY_FILE)
    flags = flags_of_our_files(tmp_path)
    assert any("-Wextra" in words for words in flags)
    assert not any(word.startswith("-Werror") for words in flags for word in words)
    rungs = json.loads((tmp_path / "lockstep.json").read_text())["steps"]
    assert not any("-Werror" in word for step in rungs for word in step["argv"])


def test_the_projects_own_tests_end_on_any_warning(tmp_path: Path) -> None:
    configure(tmp_path, FILE_BY_FILE, "-DLAB_WARNINGS_AS_ERRORS=ON")
    for words in flags_of_our_files(tmp_path):
        assert ("-Wextra" in words) == ("-Werror" in words)
    assert any("-Werror" in words for words in flags_of_our_files(tmp_path))


@pytest.mark.thorough
def test_gxx_is_taken_where_another_compiler_is_the_default(tmp_path: Path) -> None:
    default = program(tmp_path / "bin" / "c++", "echo this is not g++ >&2; exit 1")
    configure(tmp_path / "build", path=default.parent)
    assert Path(host_compiler_of(tmp_path / "build")).name == "g++"


@pytest.mark.thorough
def test_the_compiler_of_the_environment_is_taken(tmp_path: Path) -> None:
    named = program(tmp_path / "bin" / "g++-special", 'exec g++ "$@"')
    configure(tmp_path / "build", path=named.parent, CXX="g++-special")
    assert host_compiler_of(tmp_path / "build") == str(named)


def link_step(build: Path, compiler: str) -> list[str]:
    configure(build, CXX=compiler)
    steps = json.loads((build / "lockstep.json").read_text())["steps"]
    return [word for step in steps if step["name"] == "link" for word in step["argv"]]


@pytest.mark.thorough
def test_gold_links_where_it_can(tmp_path: Path) -> None:
    can_link = Path("/usr/bin/ld.gold").exists() and os.uname().machine == "x86_64"
    assert ("-fuse-ld=gold" in link_step(tmp_path / "build", "g++")) == can_link
    script = 'for word; do [ "$word" != -fuse-ld=gold ] || exit 1; done; exec g++ "$@"'
    without = program(tmp_path / "g++-without-gold", script)
    assert "-fuse-ld=gold" not in link_step(tmp_path / "other", str(without))


@pytest.mark.thorough
def test_the_shared_library_is_named_where_the_compiler_does_not_find_it(tmp_path: Path) -> None:
    name = "-l:libstdc++.so.6"
    assert name not in link_step(tmp_path / "build", "g++")
    (tmp_path / "libstdc++.so").symlink_to("/nowhere/libstdc++.so.6")
    ask = ["g++", "-print-file-name=libstdc++.a"]
    static = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
    (tmp_path / "libstdc++.a").symlink_to(static)
    moved = program(tmp_path / "g++-moved", f'exec g++ -B{tmp_path} "$@"')
    step = link_step(tmp_path / "other", str(moved))
    assert name in step
    assert "-fuse-ld=gold" not in step


def test_clang_is_refused_with_the_next_step(tmp_path: Path) -> None:
    # It says of itself what clang says, so that the test needs none.
    clang = program(tmp_path / "clang++", 'exec g++ -D__clang__=1 -D__clang_major__=14 "$@"')
    if real := shutil.which("clang++"):
        clang = Path(real)
    said = configure(tmp_path / "build", CXX=str(clang))
    assert f"{clang} is Clang " in said
    assert "Lockstep needs g++ 11 or newer: type CXX=g++ before the command" in said


def test_a_gxx_that_is_too_old_is_refused_with_the_next_step(tmp_path: Path) -> None:
    old = program(tmp_path / "g++-10", 'exec g++ -w -U__GNUC__ -D__GNUC__=10 "$@"')
    said = configure(tmp_path / "build", CXX=str(old))
    assert f"{old} is GNU 10." in said
    assert said.count("Lockstep needs g++ 11 or newer: install g++ 11 or newer") == 1


# ---- the compiler of rungs

FLAGS = 'case $* in *resource-dir) echo /r;; *) echo "clang version 19.1.7";; esac'


def test_rungs_of_cpu_are_made_by_clang_in_three_steps_at_once(tmp_path: Path) -> None:
    clang = program(tmp_path / "clang", FLAGS)
    configure(tmp_path / "build", f"-DLAB_CLANG={clang}")
    made = json.loads((tmp_path / "build" / "lockstep.json").read_text())
    assert made["device"].endswith("/lockstep_device")
    compiler = compiler_of(tmp_path / "build")
    assert compiler.keys() == {"id", "version", "path", "cccl"}
    assert (compiler["version"], compiler["path"]) == ("19.1.7", str(clang))
    names = [(step["name"], step.get("at_once", False)) for step in made["steps"]]
    at_once = [(name, True) for name in ("device", "written", "host")]
    assert names == [*at_once, ("gather", False), ("isolate", False), ("link", False)]
    for step in made["steps"][:3]:
        argv = step["argv"]
        if step["name"] != "host":
            assert argv[0].endswith("/lockstep_front")
            assert argv[2] == str(clang)
            argv = argv[argv.index("--") + 1 :]
        assert argv[0] == str(clang)
        folders = [argv[at + 1] for at, word in enumerate(argv) if word == "-isystem"]
        assert folders[0] == f"{REPOSITORY}/common/cuda/toolkit"  # others may have NVIDIA's
        assert folders.index("/r/include") > next(
            at for at, folder in enumerate(folders) if "c++" in folder
        )


def test_zig_has_clang_inside(tmp_path: Path) -> None:
    zig = program(tmp_path / "zig", f'[ "$1" = clang ] || exit 1; shift\n{FLAGS}')
    said = configure(tmp_path / "build", LOCKSTEP_CLANG=str(zig))
    assert "Generating done" in said
    steps = json.loads((tmp_path / "build" / "lockstep.json").read_text())["steps"]
    argv = steps[0]["argv"]
    assert argv[2:4] == argv[argv.index("--") + 1 :][:2] == [str(zig), "clang"]
    assert f"{tmp_path}/lib/include" in argv


def test_without_clang_the_next_step_is_named(tmp_path: Path) -> None:
    said = configure(tmp_path / "build", "-DLAB_CLANG=/none/clang")
    assert "/none/clang is no clang that runs: ./lab doctor fetches one" in said
