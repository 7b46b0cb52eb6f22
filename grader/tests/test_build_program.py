# SPDX-License-Identifier: MIT
"""How `run` builds a program, with stand-ins for the compiler."""

from pathlib import Path

import pytest

from lockstep_grader.student.program.build import BuildError, Options, build_program
from lockstep_grader.toolchain.description import Step


def noting_steps(log: Path) -> dict[str, Step]:
    """Each notes that it ran."""

    def step(name: str, script: str) -> Step:
        words = ("{source}", "{object}", "{std}")
        return Step(name, ("sh", "-c", f'echo {name} "$2" >> {log}; {script}', "sh", *words))

    makes = 'cp "$1" "$2"'
    refuses = 'if grep -q WRONG "$1"; then echo "$1:1:2: error: no"; exit 1; fi'
    steps = [
        step("device", f'{refuses}; echo optimised > "$2.ptx"'),
        step("checked", f'{refuses}; echo compared > "$2.ptx"'),
        step("written", 'echo as it is > "$2.ptx"'),
        step("compile", f"{refuses}; {makes}"),
        step("embed", 'cat "$2.image" >> "$2"'),
        step("compile_host", makes),
        Step("gather", ("sh", "-c", 'cat "$@" > gathered', "sh")),
        Step("isolate", ("true",)),
        Step("link", ("cp", "gathered", "program")),
    ]
    return {each.name: each for each in steps}


@pytest.mark.parametrize(
    ("options", "front", "ptx"),
    [
        (Options(), "checked", b"compared"),
        (Options(is_counted=True), "device", b"optimised"),
        (Options(is_checked=False), "device", b"optimised"),
        (Options(is_optimised=False), "written", b"as it is"),
    ],
)
def test_a_program_has_its_kernels_inside(
    tmp_path: Path, options: Options, front: str, ptx: bytes
) -> None:
    files = {"main.cu": "__global__\n", "plain.cu": "int i;\n", "host.cpp": "int j;\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    work = tmp_path / "work"
    work.mkdir()
    steps = noting_steps(tmp_path / "log")
    program = build_program(steps, [tmp_path / name for name in files], options, work, 2)
    image = ptx + b"\n\0"
    assert program.read_bytes() == b"__global__\n" + image + b"int i;\n" + image + b"int j;\n"
    ran = sorted(line.split()[0] for line in (tmp_path / "log").read_text().splitlines())
    assert ran == sorted(["compile", "compile", "compile_host", "embed", "embed", front, front])


def test_an_error_of_both_passes_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "main.cu").write_text("// WRONG\n")
    with pytest.raises(BuildError) as caught:
        build_program(
            noting_steps(tmp_path / "log"), [tmp_path / "main.cu"], Options(), tmp_path, 2
        )
    finding = caught.value.finding
    assert (finding.file, finding.line, finding.column) == ("main.cu", 1, 2)
    assert finding.message == "no"


@pytest.mark.parametrize(
    ("complaint", "said"),
    [
        ("fatal error: 'cublas_v2.h' file not found", "; this library is not part of Lockstep"),
        ("error: unknown type name 'CUdevice'", "; Lockstep has the runtime API"),
        ("error: no member named 'span' in namespace 'std'", "; C++20 has it: --std 20"),
        ("error: use of undeclared identifier 'cubes'", "'cubes'"),
        ("\nzig: error: clang frontend command failed with exit code 139", "crashed over this"),
    ],
)
def test_clangs_complaints_get_their_advice(tmp_path: Path, complaint: str, said: str) -> None:
    (tmp_path / "main.cu").write_text("\n")
    fails = Step("checked", ("sh", "-c", f'echo "main.cu:1:1: {complaint}"; exit 1'))
    steps = {**noting_steps(tmp_path / "log"), "checked": fails}
    with pytest.raises(BuildError) as caught:
        build_program(steps, [tmp_path / "main.cu"], Options(), tmp_path, 2)
    assert said in caught.value.finding.message
