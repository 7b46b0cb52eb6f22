# SPDX-License-Identifier: MIT
"""What is in a package: all that grading takes, the same bytes each time, and no solution."""

import io
import json
import os
import re
import shutil
import subprocess
import tarfile
import uuid
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from lockstep_grader.author.packages.autograde import COMPILE_BYTES, OWN_BYTES, jobs_that_fit
from lockstep_grader.author.packages.build import Platform, build_package, bundle
from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.machine.files import Packed, tarred, zipped
from lockstep_grader.toolchain.clang import ensure_clang

from conftest import Checkout
from repository import REPOSITORY, WORKSPACE

LABS = {lab.id: lab for lab in read_labs(WORKSPACE)}
THREADS = LABS["00-threads"]


def unpacked(data: bytes) -> Mapping[str, bytes]:
    """The files of a zip or tar by path, those of archives inside it too."""
    files: dict[str, bytes] = {}
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    else:
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            members = [member for member in tar if member.isreg()]
            for member in members:
                stream = tar.extractfile(member)
                files[member.name] = stream.read() if stream else b""
    for name in [name for name in files if name.endswith((".zip", ".tar"))]:
        files |= {f"{name}!{inner}": data for inner, data in unpacked(files[name]).items()}
    return files


@pytest.fixture(scope="module", params=list(Platform))
def package(request: pytest.FixtureRequest) -> tuple[Platform, bytes]:
    return request.param, build_package(WORKSPACE, request.param, THREADS)


def test_a_package_is_the_same_bytes_each_time(package: tuple[Platform, bytes]) -> None:
    platform, data = package
    assert build_package(WORKSPACE, platform, THREADS) == data


def test_no_package_holds_a_solution_or_a_mutant(package: tuple[Platform, bytes]) -> None:
    _, data = package
    solutions = REPOSITORY / "solutions"
    secret = {
        path.read_bytes() for path in solutions.rglob("*") if path.suffix in (".cu", ".edit", ".md")
    }
    files = unpacked(data)
    assert len(files) > 100
    for name, content in files.items():
        assert "solutions/" not in name
        assert "/mutants/" not in name
        assert "/tests/" not in name.replace("/tests/run.sh", "")
        assert content not in secret, name
        assert b"// mutant of:" not in content.replace(b'"// mutant of:', b""), name


def test_a_package_has_the_lab_and_no_other(package: tuple[Platform, bytes]) -> None:
    _, data = package
    labs = {found[1] for name in unpacked(data) if (found := re.search(r"labs/([^/]+)/", name))}
    assert labs == {"00-threads"}


@pytest.mark.parametrize("lab_id", sorted(LABS))
def test_headers_that_solve_a_lab_are_not_in_its_package(lab_id: str) -> None:
    files = set(bundle(WORKSPACE, LABS[lab_id]))
    needed = {
        f"common/cuda/{name}"
        for path in (REPOSITORY / "solutions" / lab_id).glob("*.cu")
        for name in re.findall(r'#include "(lab/\w+\.cuh)"', path.read_text("utf-8"))
    }
    assert needed <= files
    if lab_id in ("00-threads", "01-reduction", "02-scan"):
        assert "common/cuda/lab/look_back.cuh" not in files
        assert "common/cuda/lab/provided_scan.cuh" not in files


def test_what_is_unpacked_is_a_whole_checkout_for_cmake(tmp_path: Path) -> None:
    for path, file in bundle(WORKSPACE, THREADS).items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.data)
    done = subprocess.run(
        ["cmake", "--preset", "cpu", "-B", "build"],
        cwd=tmp_path,
        env={**os.environ, "LOCKSTEP_CLANG": str(ensure_clang().path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    toolchain = json.loads((tmp_path / "build" / "lockstep.json").read_text())
    assert list(toolchain["labs"]) == ["00-threads"]


def test_gradescope_finds_its_two_scripts_at_the_root() -> None:
    data = build_package(WORKSPACE, Platform.GRADESCOPE, THREADS)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in ("setup.sh", "run_autograder", "lockstep/lab"):
            assert archive.getinfo(name).external_attr >> 16 == 0o100755


def test_shell_scripts_of_packages_parse(package: tuple[Platform, bytes], tmp_path: Path) -> None:
    for name, content in unpacked(package[1]).items():
        if content.startswith((b"#!/usr/bin/env bash", b"#!/bin/sh")):
            script = tmp_path / "script"
            script.write_bytes(content)
            done = subprocess.run(["bash", "-n", script], capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, ""), name


def test_a_set_up_script_installs_what_the_grader_asks_for() -> None:
    script = unpacked(build_package(WORKSPACE, Platform.GRADESCOPE, THREADS))["setup.sh"].decode()
    for package_name in ("cmake", "g++", "libgtest-dev", "ninja-build", "zlib1g-dev"):
        assert f" {package_name} " in script.replace("\n", " \n")
    assert "lockstep/lab --nvcc autograde gradescope 00-threads --prepare" in script


def test_autolab_imports_a_tarball_of_one_folder_with_its_two_settings() -> None:
    data = build_package(WORKSPACE, Platform.AUTOLAB, THREADS)
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        members = archive.getmembers()
    assert members[0].name == "threads"
    assert members[0].isdir()
    assert all(member.name.startswith("threads/") for member in members[1:])
    files = unpacked(data)
    settings = files["threads/threads.yml"].decode()
    assert "module Threads" in files["threads/threads.rb"].decode()
    assert re.findall(r'- name: "(.*)"', settings) == [
        f"00-threads/{rung.id}" for rung in THREADS.rungs
    ]
    points = [float(value) for value in re.findall(r"max_score: (.*)", settings)]
    assert sum(points) == THREADS.max_score


def test_prairielearn_gets_a_question_whose_files_are_the_rungs() -> None:
    files = unpacked(build_package(WORKSPACE, Platform.PRAIRIELEARN, THREADS, "me/threads"))
    folder = "questions/lockstep-00-threads"
    info = json.loads(files[f"{folder}/info.json"])
    uuid.UUID(info["uuid"])
    options = info["externalGradingOptions"]
    assert (info["gradingMethod"], options["image"]) == ("External", "me/threads")
    assert options["entrypoint"] == "/grade/tests/run.sh"
    assert options["timeout"] <= 600
    question = files[f"{folder}/question.html"].decode()
    assert "01_matrix_add.cu, 02_grid_stride.cu" in question
    handout = set(unpacked(files[f"{folder}/clientFilesQuestion/00-threads.zip"]))
    assert {"00-threads/01_matrix_add.cu", "00-threads/README.md"} <= handout
    assert not [name for name in handout if "/judge/" in name]


def test_a_repository_for_github_or_gitlab_grades_each_push() -> None:
    files = unpacked(build_package(WORKSPACE, Platform.GITHUB, THREADS))
    assert "labs/00-threads/01_matrix_add.cu" in files
    assert b"lab: [00-threads]" in files[".github/workflows/grade.yml"]
    assert b"LAB: [00-threads]" in files[".gitlab-ci.yml"]


def test_archives_have_fixed_times_and_owners() -> None:
    files = {"b/run": Packed(b"x", executable=True), "a": Packed(b"y")}
    assert zipped(files) == zipped(dict(reversed(files.items())))
    with tarfile.open(fileobj=io.BytesIO(tarred(files))) as archive:
        found = [(entry.name, entry.mode, entry.mtime, entry.uid) for entry in archive]
    assert found == [("a", 0o644, 0, 0), ("b", 0o755, 0, 0), ("b/run", 0o755, 0, 0)]


def test_package_writes_the_file_and_says_what_to_do_with_it(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCKSTEP_ROOT")
    ran = checkout.lab("package", "gradescope", "threads")
    assert ran.status == 0
    assert "00-threads-gradescope.zip: upload it" in ran.out
    assert (checkout.work / "00-threads-gradescope.zip").stat().st_size > 100_000


def test_package_of_an_incomplete_checkout_names_what_is_missing(checkout: Checkout) -> None:
    said = checkout.refusal("package", "gradescope", "01", status=3)
    assert "is missing: is this a whole checkout?" in said


@pytest.mark.skipif(not shutil.which("make"), reason="no make here")
def test_autolabs_makefile_parses() -> None:
    makefile = unpacked(build_package(WORKSPACE, Platform.AUTOLAB, THREADS))[
        "threads/autograde-Makefile"
    ]
    done = subprocess.run(["make", "-n", "-f", "-"], input=makefile, capture_output=True)
    assert done.returncode == 0


def test_autolabs_image_takes_only_the_autodriver_from_tangos() -> None:
    files = unpacked(build_package(WORKSPACE, Platform.AUTOLAB, THREADS))
    dockerfile = files["threads/image/Dockerfile"].decode()
    assert re.findall(r"^FROM (.+)$", dockerfile, re.MULTILINE) == ["${BASE} AS tango", "debian:13"]
    assert re.findall(r"--from=tango (\S+)", dockerfile) == ["/usr/bin/autodriver"]
    for line in re.findall(r"^COPY (?!--)(\S+)", dockerfile, re.MULTILINE):
        assert any(name.startswith(f"threads/image/{line}") for name in files), line


def test_the_image_lifts_tangos_limit_on_the_size_of_files(tmp_path: Path) -> None:
    script = unpacked(build_package(WORKSPACE, Platform.AUTOLAB, THREADS))[
        "threads/image/autodriver"
    ]
    text = script.decode().replace("/usr/bin/autodriver-of-tango", "echo")
    arguments = "-u 100 -f 104857600 -t 600 -o 1024000 autolab"
    argv = ["sh", "-c", text, "autodriver", *arguments.split()]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.stdout == f"{arguments} --fsize 0\n"


# ---- as many compilers at a time as the memory holds, and never more than the cores


MEMINFO = "MemTotal:  99999999 kB\nMemAvailable:  {} kB\n"


def container(root: Path, **files: str) -> Path:
    names = {
        "v1": "sys/fs/cgroup/memory/memory.limit_in_bytes",
        "v2": "sys/fs/cgroup/memory.max",
        "free": "proc/meminfo",
    }
    for name, text in files.items():
        file = root / names[name]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "jobs"),
    [
        ({"v1": str(OWN_BYTES + COMPILE_BYTES * 3)}, 3),
        ({"v1": str(2**63 - 4096), "v2": "max\n"}, 64),
        ({"v2": "1000\n"}, 1),
        ({"v2": f"{768 << 20}\n"}, 1),  # Gradescope's default
        ({"free": MEMINFO.format((OWN_BYTES + COMPILE_BYTES * 5) >> 10)}, 5),
        ({"v2": str(COMPILE_BYTES * 9), "free": MEMINFO.format(COMPILE_BYTES * 4 >> 10)}, 3),
        ({}, 64),
    ],
)
def test_the_smallest_limit_counts(tmp_path: Path, files: dict[str, str], jobs: int) -> None:
    assert jobs_that_fit(container(tmp_path, **files), cores=64) == jobs
    assert jobs_that_fit(tmp_path, cores=1) == 1
