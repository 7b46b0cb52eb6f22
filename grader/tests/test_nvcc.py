# SPDX-License-Identifier: MIT
"""The compiler for rungs: which nvcc and g++ are taken, and that they compile our solutions."""

import subprocess
from pathlib import Path

import pytest

from lockstep_grader.model.grades import Backend, Resources
from lockstep_grader.toolchain import nvcc, system
from lockstep_grader.toolchain.nvcc import (
    NoRungCompiler,
    Phase,
    RungCompiler,
    parse_ptxas,
    rung_compiler,
)

from repository import REPOSITORY

SOLUTION = "01-reduction/07_operators.cu"
NEEDS_80 = "02-scan/06_decoupled_look_back.cu"  # __reduce_add_sync
NEEDS_90A = "08-tensor-cores/07_wgmma.cu"


def program(file: Path, script: str) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return str(file)


def fake_nvcc(root: Path, version: str, newest_gxx: int) -> str:
    header = root / "include" / "crt" / "host_config.h"
    header.parent.mkdir(parents=True)
    header.write_text(f"#if __GNUC__ > {newest_gxx}\n#error\n#endif\n")
    release = version.rpartition(".")[0]
    return program(root / "bin" / "nvcc", f"echo 'tools, release {release}, V{version}'")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def found(
    monkeypatch: pytest.MonkeyPatch, toolkit: str = "", pypi: str = ""
) -> RungCompiler | NoRungCompiler:
    monkeypatch.setattr(nvcc, "toolkit_nvcc", lambda: toolkit)
    monkeypatch.setattr(nvcc, "pypi_nvcc", lambda: pypi)
    return rung_compiler()


def test_the_toolkits_nvcc_comes_first(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = program(path / "g++", "echo 12")
    toolkit = fake_nvcc(tmp_path / "toolkit", "13.0.88", 15)
    pypi = fake_nvcc(tmp_path / "pypi", "13.5.37", 16)
    assert found(monkeypatch, toolkit, pypi) == RungCompiler(toolkit, "13.0.88", host)
    assert found(monkeypatch, "", pypi) == RungCompiler(pypi, "13.5.37", host)
    assert found(monkeypatch) == NoRungCompiler("there is no nvcc here")


def test_an_nvcc_without_cxx20_gives_way_to_the_next(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(path / "g++", "echo 12")
    old = fake_nvcc(tmp_path / "old", "11.8.89", 11)
    pypi = fake_nvcc(tmp_path / "pypi", "13.5.37", 16)
    chosen = found(monkeypatch, old, pypi)
    assert isinstance(chosen, RungCompiler)
    assert chosen.path == pypi
    refused = found(monkeypatch, old)
    assert refused == NoRungCompiler(f"{old} is nvcc 11.8.89, but C++20 needs 12.0 or newer")


def test_a_gxx_that_nvcc_refuses_is_replaced_by_an_older_one(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(path / "g++", "echo 17.1.0")
    pypi = fake_nvcc(tmp_path / "pypi", "13.5.37", 16)
    refused = found(monkeypatch, "", pypi)
    assert refused == NoRungCompiler("nvcc 13.5.37 needs g++ 16 or older: install g++-16")
    program(path / "g++-13", "echo 13")
    older = program(path / "g++-16", "echo 16")
    assert found(monkeypatch, "", pypi) == RungCompiler(pypi, "13.5.37", older)


def test_a_system_may_have_only_a_gxx_with_a_number(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pypi = fake_nvcc(tmp_path / "pypi", "13.5.37", 16)
    numbered = program(path / "g++-11", "echo 11")
    assert found(monkeypatch, "", pypi) == RungCompiler(pypi, "13.5.37", numbered)
    program(path / "g++", "echo 12")
    monkeypatch.setenv("CXX", "g++-11")
    assert found(monkeypatch, "", pypi) == RungCompiler(pypi, "13.5.37", numbered)
    monkeypatch.setenv("CXX", "clang++")
    assert found(monkeypatch, "", pypi) == RungCompiler(pypi, "13.5.37", str(path / "g++"))


def test_an_nvcc_that_does_not_run_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = program(tmp_path / "nvcc", "exit 1")
    assert found(monkeypatch, broken) == NoRungCompiler(f"{broken} does not run")


def test_nvcc_from_pypi_does_not_make_the_backend_cuda(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("LOCKSTEP_NVCC")
    monkeypatch.setattr(system, "nvcc_of", lambda: "/a/nvcc")
    monkeypatch.setattr(system, "toolkit_nvcc", lambda: "")
    monkeypatch.setattr(system, "gpu_name", lambda: "GPU 0: Fast")
    assert system.pypi_nvcc() == "/a/nvcc"
    assert system.detect_backend() is Backend.CPU
    monkeypatch.setenv("LOCKSTEP_NVCC", "off")
    assert system.pypi_nvcc() == ""


# ---- the real ones


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> RungCompiler:
    """The compiler for rungs here: a toolkit's, or else PyPI's."""
    monkeypatch.delenv("LOCKSTEP_NVCC")
    compiler = rung_compiler()
    if isinstance(compiler, NoRungCompiler):
        pytest.skip(compiler.reason)
    return compiler


def resources(compiler: RungCompiler, solution: str, name: str, work: Path) -> list[Resources]:
    source = REPOSITORY / "solutions" / solution
    includes = [REPOSITORY / "common" / "cuda", REPOSITORY / "labs" / source.parent.name]
    argv = compiler.command(source, work, includes, [name], Phase.RESOURCES)
    done = subprocess.run(argv, cwd=work, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return list(parse_ptxas(done.stdout + done.stderr))


@pytest.mark.skipif(
    not (REPOSITORY / "solutions").is_dir(), reason="a students' copy has no solutions"
)
@pytest.mark.parametrize(
    ("solution", "name"), [(SOLUTION, "7.5"), (NEEDS_80, "9.0"), (NEEDS_90A, "9.0a")]
)
def test_a_solution_compiles_and_its_registers_are_known(
    real: RungCompiler, solution: str, name: str, tmp_path: Path
) -> None:
    kernels = resources(real, solution, name, tmp_path)
    assert kernels
    for kernel in kernels:
        assert kernel.architecture == name.removesuffix("a")
        assert 8 <= kernel.registers <= 255, kernel
        assert kernel.spilled_bytes == 0, kernel


def test_spills_of_a_kernel_that_has_too_few_registers_are_read(
    real: RungCompiler, tmp_path: Path
) -> None:
    source = tmp_path / "spills.cu"
    loads = "\n".join(f"  float v{i} = data[{i} * 97 + threadIdx.x];" for i in range(64))
    stores = "\n".join(f"  data[{i} * 89 + threadIdx.x] = v{i} * v{63 - i};" for i in range(64))
    source.write_text(
        "__global__ void __launch_bounds__(1024, 2) greedy(float* data) {\n"
        f"{loads}\n  __syncthreads();\n{stores}\n}}\n"
    )
    argv = real.command(source, tmp_path, [], ["9.0"], Phase.RESOURCES)
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    (kernel,) = parse_ptxas(done.stdout + done.stderr)
    assert kernel.registers == 32
    assert kernel.spilled_bytes > 0


@pytest.mark.thorough
def test_each_phase_refuses_a_mistake_in_a_kernel(real: RungCompiler, tmp_path: Path) -> None:
    text = "#ifdef __CUDA_ARCH__\n#endif\n"  # so each GPU's code is read by itself
    right, wrong = tmp_path / "right.cu", tmp_path / "wrong.cu"
    right.write_text(f"{text}__global__ void kernel(int* d) {{ d[threadIdx.x] = 1; }}\n")
    wrong.write_text(f"{text}__global__ void kernel(int* d) {{ d[thread] = 1; }}\n")
    for phase in Phase:
        for source, is_refused in ((right, False), (wrong, True)):
            argv = real.command(source, tmp_path, [], ["7.5", "9.0"], phase)
            done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True)
            said = done.stdout + done.stderr
            assert (done.returncode != 0) == is_refused, (phase, said)
            assert ('"thread" is undefined' in said) == is_refused, (phase, said)
