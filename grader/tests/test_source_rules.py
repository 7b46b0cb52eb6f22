# SPDX-License-Identifier: MIT
"""Which includes a rung may not have, wherever in its text they are."""

import pytest

from lockstep_grader.intake.catalog import read_labs
from lockstep_grader.intake.submission import MAX_SOURCE_BYTES, Source
from lockstep_grader.machine.workspace import Workspace
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.rules.source import check_source

from repository import REPOSITORY

CUB = '#include "cub/cub.cuh"\n'


def problem(text: str) -> Finding | None:
    return check_source(Source("x.cu", text.encode()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CUB, "cub"),
        ("#  include <thrust/sort.h> // why\n", "thrust"),
        ('#include /**/ "/etc/passwd"\n', "from outside"),
        ('#include "../x.cu"\n', "from outside"),
        ("#include NAME\n", "not written out"),
        ("#include <bits/stdc++.h>\n", "such as <algorithm> and <vector>"),
        ("#include <immintrin.h>\n", "processor's own instructions"),
        ('#include "arm_neon.h"\n', "processor's own instructions"),
        ("#include <./cub/cub.cuh>\n", "cub"),
        ("#include <lab/./launch.cuh>\n", "without ./"),
        (f"\ufeff{CUB}", "cub"),
        (f"/*\n*/ {CUB}", "cub"),
        ("#inc\\\nlude <cub/cub.cuh>", "cub"),
        ("#include <boost/preprocessor/cat.hpp>\n", "boost"),
    ],
)
def test_an_include_is_forbidden(text: str, said: str) -> None:
    found = problem(text)
    assert found is not None
    assert (found.kind, said in found.message) == (FindingKind.FORBIDDEN, True), found.message
    assert "\n" not in found.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CUB, ""),
        ("#include <thrust/iterator/counting_iterator.h>\n", ""),
        ("#include <cutlass/gemm.h>\n", "cutlass"),
        ("#include <cublas_v2.h>\n", "cublas"),
        ("#include <./cub/cub.cuh>\n", "without ./"),
        ("#include <cub/../../x.h>\n", "from outside"),
    ],
)
def test_a_rung_may_use_the_libraries_of_cccl(text: str, said: str) -> None:
    found = check_source(Source("x.cu", text.encode()), may_use_libraries=True)
    assert (found is None) == (not said)
    assert found is None or said in found.message


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff#include <vector>\r\nint a;\r\n",
        f'// {CUB}const char* s = "#include <cub/cub.cuh>";',
        f'auto help = R"(write\n{CUB})"; auto more = R"x(\n{CUB})" )x";',
        '#include <sys/types.h> // why\n#include /* a */ <cuda/std/atomic>\n#  include "a.cuh"\n',
        "#define CAT(a, b) a##b\n#line 3\n#\nint \u00e9 = 1'000; \f",
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert problem(text) is None


@pytest.mark.parametrize(
    "before",
    [
        '/* one\ntwo */ int \\\nk;\nauto r = "(";\n\n',
        "int a \\\n= \\\n1;\n#define B \\\n 1\n// c \\\nd\nint e;\n",
        'auto r = R"(one\ntwo)";\n',
    ],
)
def test_a_line_is_counted_in_the_file_as_it_is(before: str) -> None:
    found = problem(before + CUB)
    assert found is not None
    assert found.line == before.count("\n") + 1


@pytest.mark.parametrize("part", ["labs", "solutions"])
def test_all_that_is_handed_out_or_solved_passes(part: str) -> None:
    files = [
        file
        for file in sorted((REPOSITORY / part).rglob("*.cu*"))
        if "judge" not in file.parts  # those are not rungs
    ]
    if not files:
        pytest.skip(f"this checkout has no {part}")
    libraries = {
        (lab.id, rung.file_name)
        for lab in read_labs(Workspace.from_environment())
        for rung in lab.rungs
        if rung.uses_libraries
    }
    said = [
        check_source(
            Source(file.name, file.read_bytes()),
            may_use_libraries=(file.parent.name, file.name) in libraries,
        )
        for file in files
    ]
    assert [found for found in said if found] == []


@pytest.mark.parametrize(
    "piece",
    ['"', "'", "(", "/*", "\\\n", "#\n", "#include", 'R"(', 'R"x', "1'1", "\u00e9", "int a;\n"],
)
def test_a_large_file_is_read_at_once(piece: str) -> None:
    # Whatever is quadratic in a file of this size does not come back while a person waits. A
    # quarter shows it, too.
    problem(piece * (MAX_SOURCE_BYTES // 4 // len(piece)))
