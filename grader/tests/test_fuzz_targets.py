# SPDX-License-Identifier: MIT
"""`.ci/fuzz` builds its targets, and finds nothing in a few seconds and the inputs found before."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from repository import REPOSITORY

FUZZ = REPOSITORY / ".ci" / "fuzz"
SECONDS = "3"


def fuzzed(folder: Path, *targets: str, **env: str) -> subprocess.CompletedProcess[str]:
    build = {"LOCKSTEP_BUILD": str(folder), "PYTHON": sys.executable}
    return subprocess.run(
        [FUZZ, SECONDS, *targets],
        env={**os.environ, **build, **env},
        capture_output=True,
        text=True,
        timeout=600,
    )


def has_libfuzzer(folder: Path) -> bool:
    if not shutil.which("clang++"):
        return False
    probe = 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }'
    argv = ["clang++", "-fsanitize=fuzzer,address", "-x", "c++", "-", "-o", str(folder / "probe")]
    return subprocess.run(argv, input=probe, text=True, capture_output=True).returncode == 0


@pytest.mark.e2e
@pytest.mark.thorough
def test_what_reads_untrusted_bytes_survives_any_bytes(tmp_path: Path) -> None:
    if not has_libfuzzer(tmp_path):
        pytest.skip("no clang++ with libFuzzer")
    ran = fuzzed(tmp_path, "wire")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "fuzz: wire: " in ran.stdout
    assert not list((tmp_path / "fuzz" / "found").iterdir())


@pytest.mark.e2e
@pytest.mark.parametrize("target", ["archives", "sources"])
def test_what_students_hand_in_is_read_whatever_it_is(tmp_path: Path, target: str) -> None:
    if not importlib.util.find_spec("atheris"):
        pytest.skip("atheris is not installed (grader/requirements-fuzz.txt)")
    ran = fuzzed(tmp_path, target)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"fuzz: {target}: " in ran.stdout


def test_an_input_that_breaks_a_target_is_kept_and_reported(tmp_path: Path) -> None:
    """With a compiler and a program that stand in for clang's."""
    compiler = tmp_path / "clang++"
    compiler.write_text(
        "#!/bin/sh\n"
        'for last; do :; done\necho \'#!/bin/sh\necho "SUMMARY: a crash"; exit 77\' > "$last"\n'
        'chmod +x "$last"\n'
    )
    compiler.chmod(0o755)
    ran = fuzzed(tmp_path, "wire", FUZZ_CXX=str(compiler))
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "SUMMARY: a crash" in ran.stderr
    assert "fuzz/wire.log" in ran.stderr


@pytest.mark.parametrize(
    ("target", "env", "says"),
    [
        ("ptx", {"FUZZ_CXX": "no-such-compiler"}, "with libFuzzer is missing"),
        ("archives", {"PYTHON": "false"}, "atheris is missing"),
        ("nonsense", {}, "nonsense is not one of ptx, kernels, wire, commands, archives"),
    ],
)
def test_a_missing_tool_is_one_line_and_no_success(
    tmp_path: Path, target: str, env: dict[str, str], says: str
) -> None:
    ran = fuzzed(tmp_path, target, **env)
    assert ran.returncode == 3
    assert says in ran.stderr
    assert len(ran.stderr.splitlines()) == 1
