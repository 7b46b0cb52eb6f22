# SPDX-License-Identifier: MIT
"""What a rung's text may not contain, and that the text is read as g++ reads it."""

from pathlib import Path

import pytest

from lockstep_grader.intake.submission import MAX_SOURCE_BYTES, Source
from lockstep_grader.model.grades import Backend, Finding, FindingKind
from lockstep_grader.rules.source import check_source

REPOSITORY = Path(__file__).parents[2]
EARLY = "__attribute__((constructor)) void f();\n"


def text_problem(text: str, backend: Backend = Backend.CUDA) -> Finding | None:
    return check_source(Source("x.cu", text.encode()), backend)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("__attribute__((constructor)) void f();", "the attribute constructor"),
        ("[[gnu::no_sanitize_thread]] void f();", "the attribute no_sanitize_thread"),
        ("[/**/[gnu::constructor]] void f();", "the attribute constructor"),
        ("#define LIST __attribute__\n", "without its list"),
        ("#define WORD __attri##bute__\n", "tokens pasted"),
        ("#pragma GCC optimize(\"O3\")\n", "a pragma"),
        ("_Pragma(\"GCC push_options\")", "a pragma"),
        ("%: include <thrust/sort.h>\n", "digraphs"),
        ("#include \"cub/cub.cuh\"\n", "cub"),
        ("#include /**/ \"/etc/passwd\"\n", "from outside"),
        ("#include \"../x.cu\"\n", "from outside"),
        ("#include NAME\n", "not written out"),
        ("#line 1 \"/usr/x\"\n", "line numbers"),
        ("<:<:gnu::constructor:>:> void f();", "digraphs"),
        ("#include <bits/stdc++.h>\n", "such as <algorithm> and <vector>"),
        ("#include <immintrin.h>\n", "processor's own instructions"),
        ("#include \"arm_neon.h\"\n", "processor's own instructions"),
        ("int __REDIRECT(open_it, (int), open);", "__REDIRECT"),
    ],
)  # fmt: skip
def test_a_text_that_hides_something_is_forbidden(text: str, said: str) -> None:
    found = text_problem(text)
    assert found is not None
    assert (found.kind, said in found.message) == (FindingKind.FORBIDDEN, True), found.message


@pytest.mark.parametrize(
    "text",
    [
        "// asm(\"nop\")\nconst char* s = \"asm __attribute__((constructor))\";",
        "int k = 1'000'000; const char* s = \"asm ## #pragma GCC optimize\";",
        "[[maybe_unused]] int k; struct __attribute__((aligned(16), packed)) S {};",
        "#pragma unroll 4\n#include <algorithm>\n#include \"lab/launch.cuh\"\n",
        "std::vector<::lab::Item> items; int a[3]; int b = a[a[0]];",
        "__global__ void __launch_bounds__(256) k();",
    ],
)  # fmt: skip
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert text_problem(text) is None


def test_a_forbidden_line_is_counted_in_the_file_as_it_is() -> None:
    found = text_problem(
        '/* one\ntwo */ int \\\nk;\nauto r = "(";\n\n__attribute__((constructor)) void f();\n'
    )
    assert found is not None
    assert found.line == 6


def test_assembly_for_a_gpu_is_left_to_the_gpu() -> None:
    assert text_problem('asm("mov.u32 %0, %laneid;" : "=r"(lane));', Backend.CUDA) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#include <./cub/cub.cuh>\n", "cub"),
        ("#include <lab/./launch.cuh>\n", "without ./"),
        ("\ufeff#include \"cub/cub.cuh\"\n", "cub"),
        ("\ufeff\ufeff#include \"cub/cub.cuh\"\n", "U+FEFF"),
        ("/*\n*/ #include \"cub/cub.cuh\"\n", "cub"),
        ("/*\n*/ #include \"/etc/passwd\"\n", "from outside"),
        ("#include <boost/preprocessor/cat.hpp>\n", "boost"),
        ("#embed \"/etc/passwd\"\n", "#embed"),
        ("#include_next <cub/cub.cuh>\n", "#include_next"),
        ("#ident \"x\\\"\\n.globl f\\nf: nop\\n.ident \\\"\"\n", "#ident"),
        ("# 1 \"x\"\n", "line numbers"),
        ("#if __has_include(</*>)\n#endif\nasm(\"nop\"); /* */", "__has_include"),
    ],
)  # fmt: skip
def test_no_directive_gets_past(text: str, said: str) -> None:
    found = text_problem(text)
    assert found is not None
    assert (found.kind, said in found.message) == (FindingKind.FORBIDDEN, True), found.message


OUT_OF_STEP = {
    "vertical tab": "const char* s = \"\x0b\"; asm(\"nop\"); const char* t = \"\";",
    "line separator": "const char* s = \"\u2028\"; asm(\"nop\"); const char* t = \"\";",
    "next line": "const char* s = \"\x85\"; asm(\"nop\"); const char* t = \"\";",
    "lone carriage return": "// \rasm(\"nop\");",
    "raw string": "auto r = R\"x( )\\\nx\" )x\"; asm(\"nop\"); const char* t = \"\";",
    "dollar": "#define $1\n#define E(x)\nE($1'a'; asm(\"nop\"); 'b')",
    "letter": "int \u00e9\u0031'a'; asm(\"nop\"); 'b'",
    "escaped letter": "int \\u00e91'a'; asm(\"nop\"); 'b'",
    "quote after a number": "#define E(x)\nE(1'.') asm(\"nop\"); E(' ')",
    "quotes after a number": "#define E(x)\nE(1''a) asm(\"nop\"); E('')",
    "sign in a number": "#define E(x)\nE(1e+1'1) " + EARLY + " E('')",
    "quote in what is skipped": f"#if 0\ndon't /*\n#endif\n{EARLY}/* */",
    "pasted word": "__CONCAT(__as,m__)(\"nop\");",
    "pasted attribute": "__CONCAT(__attri,bute__)((constructor)) void f();",
    "pasted by the library": "_ElfW_1(as, m, )(\"nop\");",
    "pragma by another name": "#define P _Pragma\nP(\"GCC optimize(\\\"O0\\\")\")",
    "pragma made of text": "#define P(x) _Pragma(#x)\nP(GCC optimize(\"O0\"))",
    "attribute in two brackets": "#define ID(x) x\n[ID([gnu::section(\"x\")])] int v;",
    "attribute by another name": "#define hot section(\"x\")\n[[gnu::hot]] int v;",
    "attribute by a parameter": "#define A(hot) __attribute__((hot))\nA(section(\"x\")) int v;",
    "half a pair of brackets":
        "#define C )\nvoid f(int a __attribute__((aligned(16 C, section(\"x\") )) ) );",
    "attribute over a directive":
        "int a __attribute__((aligned(16\n#if 0\n(\n#endif\n), section(\"x\")));",
    "attribute of a system header": "__nonnull((1), section(\"x\")) void f(int*);",
    "attribute without an end": "#define A [[gnu::hot\nint a;",
}  # fmt: skip


@pytest.mark.parametrize("name", OUT_OF_STEP)
def test_nothing_is_hidden_from_the_reader(name: str) -> None:
    found = text_problem(OUT_OF_STEP[name])
    assert found is not None
    assert found.kind is FindingKind.FORBIDDEN
    assert "\n" not in found.message


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff#include <vector>\r\nint a;\r\n",
        "// f\u00fcr 1 \u00b5s\nconst char* s = \"\u00e9\u2028\"[0] ? \"a\\\"b\" : \"'\";".replace(
            "\u2028", ""),
        "int a = 0x1e+3; double b = 1'000.5e-3, c = .5f; char d = '\\''; auto e = L'x';",
        "#if 0\nit doesn't matter\n#endif\n#error \"TODO: it's yours\"\n",
        "#define CHECK(call) do { int r = (call); if (r) fail(\"#\" #call, a[0]); } while (0)\n",
        "#define LONG(a) \\\n  f(a); \\\n  g(a)\nint main_size;\n",
        "_Pragma(\"unroll 4\") for (;;) {}",
        "int a[2]; auto f = [](int i) { return a[a[i]]; }; g([&] { f(1); });",
        "[[nodiscard]] [[gnu::aligned(16)]] int f(); alignas(16) int target, section, weak;",
        "#include <sys/types.h> // why\n#include /* a */ <cuda/std/atomic>\n#  include \"a.cuh\"\n",
        "#ifdef __CUDACC__\n#elif defined(X) && X > 1\n#else\n#endif\n#undef X\n#\n",
    ],
)  # fmt: skip
def test_text_that_only_looks_odd_is_left_alone(text: str) -> None:
    assert text_problem(text) is None


def test_a_line_behind_spliced_ones_keeps_its_number() -> None:
    found = text_problem("int a \\\n= \\\n1;\n#define B \\\n 1\n// c \\\nd\nint e;\n" + EARLY)
    assert found is not None
    assert found.line == 9


@pytest.mark.parametrize("part", ["labs", "solutions"])
def test_all_that_is_handed_out_or_solved_passes(part: str) -> None:
    files = [
        file
        for file in sorted((REPOSITORY / part).rglob("*.cu*"))
        if "judge" not in file.parts  # those are not rungs
    ]
    if not files:
        pytest.skip(f"this checkout has no {part}")
    said = [check_source(Source(file.name, file.read_bytes()), Backend.CPU) for file in files]
    assert [found for found in said if found] == []


@pytest.mark.parametrize(
    "piece",
    ['"', "'", "(", "[", "[[", "__attribute__((", "__attribute__((aligned(", "[[gnu::aligned(",
     "/*", "\\\n", "#\n", "#include", "#define A (", "R\"(", "_Pragma(", "1'1", "int a;\n"],
)  # fmt: skip
def test_a_large_file_is_read_at_once(piece: str) -> None:
    # Whatever is quadratic in a file of this size does not come back while a person waits. A
    # quarter shows it, too.
    text_problem(piece * (MAX_SOURCE_BYTES // 4 // len(piece)))
