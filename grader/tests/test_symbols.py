# SPDX-License-Identifier: MIT
"""The allow list of symbols: what a rung's object may refer to and define."""

import shutil
import subprocess
from pathlib import Path

import pytest

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.errors import FaultError
from lockstep_grader.model.grades import Finding, FindingKind
from lockstep_grader.rules.allowlist import CUDA_SUBSTITUTES
from lockstep_grader.rules.symbols import check_object, is_allowed, qualified_name

NEEDED = """
sqrtf memcpy puts wcslen _ZSt4cout _Znwm _Z10cudaMallocPPvm _ZTIi exit
_Z24cudaDestroyTextureObjecty cudaLaunchKernel __cudaRegisterFatBinary
_ZNKRSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEE3strEv
_ZNOSt7__cxx1119basic_ostringstreamIwSt11char_traitsIwESaIwEE3strEv
_ZNSt6chrono3_V212steady_clock3nowEv
"""
REFUSED = """
open fork system syscall mmap socket ptrace signal dlopen _exit getenv pthread_create
_ZNSt6thread6detachEv _ZNKRSt6thread6detachEv _ZNKOSt6thread6detachEv
_ZNSt14basic_ifstreamIcED1Ev _ZNSt10filesystem6removeEv
_ZN6worker10call_tableEv cublasSgemm_v2
_ZN3cub9DeviceRedE cudaIpcOpenMemHandle cuMemAlloc_v2 cudaDeviceReset
bsearch _Z31cudaDestroyExternalMemoryP6Memory
"""
needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")


def object_problem(text: str, folder: Path) -> Finding | None:
    made = folder / "rung.o"
    flags = ["-std=c++20", "-x", "c++", "-c", "-o", str(made), "-"]
    subprocess.run(["g++", *flags], input=text, text=True, check=True)
    return check_object(made, Source("x.cu", text.encode()))


@pytest.mark.parametrize(
    ("symbol", "names"),
    [
        ("open", ("open",)),
        ("_Z18cudaGetErrorString9cudaError", ("cudaGetErrorString",)),
        ("_ZSt4cout", ("std", "cout")),
        ("_ZNSt6thread6detachEv", ("std", "thread", "detach")),
        ("_ZNKSt7__cxx1112basic_stringIcE4sizeEv", ("std", "__cxx11", "basic_string")),
        ("_ZNKRSt8optionalIiE5valueEv", ("std", "optional")),
        ("_ZNO4wire5Thing4takeEv", ("wire", "Thing", "take")),
        ("_ZTIN3lab4TodoE", ("lab", "Todo")),
        ("_Znwm", ("operator new",)),
    ],
)
def test_names_are_read_from_mangled_ones(symbol: str, names: tuple[str, ...]) -> None:
    assert qualified_name(symbol) == names


@pytest.mark.parametrize(
    "symbol",
    NEEDED.split(),
)
def test_what_computing_takes_is_allowed(symbol: str) -> None:
    assert is_allowed(symbol)


@pytest.mark.parametrize(
    "symbol",
    REFUSED.split(),
)
def test_what_it_does_not_take_is_refused(symbol: str) -> None:
    assert not is_allowed(symbol)


@pytest.mark.parametrize("symbol", sorted(CUDA_SUBSTITUTES))
def test_what_headers_call_instead_is_allowed(symbol: str) -> None:
    assert is_allowed(symbol)


@needs_compiler
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("extern \"C\" int fork();\nint f() { return fork(); }", "uses fork"),
        ("int main() {}", "defines main"),
        ("struct A { virtual ~A() {} };\nstruct B : A {};\n"
         "B* f(A* a) { return dynamic_cast<B*>(a); }", "not by dynamic_cast"),
        ("extern \"C\" int cudaDeviceReset();\nint f() { return cudaDeviceReset(); }",
         "it frees the caller's memory, too"),
        ("extern \"C\" int cudaDeviceSynchronize() { return 0; }", "defines cudaDeviceSynchronize"),
        ("extern \"C\" int cudaEventRecord(void*) { return 0; }", "defines cudaEventRecord"),
        ("extern \"C\" long write(int, const void*, unsigned long) { return 0; }", "defines write"),
        ("extern \"C\" __attribute__((weak)) void* malloc(unsigned long) { return 0; }",
         "defines malloc"),
        ("inline int stdout = 1; int* f() { return &stdout; }", "defines stdout"),
        ("namespace worker { void begin_batch() {} }", "defines worker::begin_batch"),
        ("#include <cstdlib>\nvoid* operator new(std::size_t) { std::abort(); }", "operator new"),
        ("__attribute__((constructor)) void early() {}", "early run before"),
        ("__attribute__((destructor)) void late() {}", "late run before"),
        ("void f() {}\n__attribute__((section(\".init_array\"), used)) void (*g)() = f;",
         "run before"),
        ("__attribute__((section(\".text#\"))) extern const char k_code[] = {0};",
         "among the code"),
        ("extern \"C\" { void (*pick())() { return 0; }\n"
         "void g() __attribute__((ifunc(\"pick\"))); }", "the loader choose"),
    ],
)  # fmt: skip
def test_an_object_with_more_than_computing_is_forbidden(
    text: str, said: str, tmp_path: Path
) -> None:
    found = object_problem(text, tmp_path)
    assert found is not None
    assert (found.kind, said in found.message) == (FindingKind.FORBIDDEN, True), found.message


@needs_compiler
def test_the_line_is_that_of_the_macro(tmp_path: Path) -> None:
    found = object_problem("#include <csetjmp>\nint f(jmp_buf b) {\nreturn setjmp(b); }", tmp_path)
    assert found
    assert (found.line, "throw an exception" in found.message) == (3, True), found.message


@needs_compiler
def test_the_line_is_that_of_a_macros_definition_where_no_other_has_the_name(
    tmp_path: Path,
) -> None:
    macros = "#include <cstdlib>  // for _Exit\n#define STOP(x) if (x) _Exit(1)\n"
    for use, line in (("STOP(x);", 2), ("if (x) _Exit(1);", 3)):
        found = object_problem(f"{macros}void f(int x) {{ {use} }}", tmp_path)
        assert found is not None
        assert found.line == line
        assert "throw std::runtime_error, or put lab::check()" in found.message


@needs_compiler
@pytest.mark.skipif(not shutil.which("c++filt"), reason="no c++filt")
def test_a_name_that_is_not_read_is_written_as_in_the_source(tmp_path: Path) -> None:
    text = 'extern "C" int _ZThn8_N4Base3runEv();\nint f() { return _ZThn8_N4Base3runEv(); }'
    found = object_problem(text, tmp_path)
    assert found is not None
    assert found.message.startswith("uses non-virtual thunk to Base::run(), which no rung needs: ")


@needs_compiler
@pytest.mark.parametrize("words", ["", "thread_local ", "volatile "])
def test_a_variable_larger_than_a_process_may_be_is_refused(words: str, tmp_path: Path) -> None:
    text = f"namespace {{ {words}char g_large[SIZE]; }}\nchar* f() {{ return (char*)g_large; }}"
    assert object_problem(text.replace("SIZE", "1L << 30"), tmp_path) is None
    found = object_problem(text.replace("SIZE", "250L << 30"), tmp_path)
    assert found
    assert found.kind is FindingKind.OUT_OF_MEMORY
    assert "256000 MiB" in found.message


NVCC = "[[gnu::constructor]] static void __sti____cudaRegisterAll() {}\n"
OBJECT = 'struct S { S(); int x; } s;\nS::S() : x(strlen("abc")) {}\n'


@needs_compiler
def test_an_initialiser_of_nvccs_own_may_be_next_to_the_files(tmp_path: Path) -> None:
    assert object_problem("#include <cstring>\n" + OBJECT + NVCC, tmp_path) is None
    other = NVCC.replace("__cuda", "_more__cuda")
    problem = object_problem("#include <cstring>\n" + OBJECT + NVCC + other, tmp_path)
    assert problem is not None
    assert "run before or after the program" in problem.message


@needs_compiler
def test_an_object_with_initialisers_and_containers_is_allowed(tmp_path: Path) -> None:
    text = """
    #include <algorithm>
    #include <cmath>
    #include <cstdio>
    #include <iostream>
    #include <map>
    #include <string>
    #include <vector>
    std::map<std::string, std::vector<double>> table = {{"a", {1, 2, 3}}};
    double f(double x) {
      static const std::string name = std::to_string(x);
      std::sort(table["a"].begin(), table["a"].end());
      std::printf("%s", name.c_str());
      std::cout << std::pow(x, 3) << std::endl;
      if (x < 0) throw 1;
      return table.at("a")[0];
    }
    """
    assert object_problem(text, tmp_path) is None


@needs_compiler
@pytest.mark.parametrize(
    "text",
    [
        "int send = 1; inline int counter = 2; int* f() { return &counter; }",
        'extern "C" int helper() { return 1; }\nint write_all() { return helper(); }',
        "struct malloc_like { virtual ~malloc_like() {} } thing;",
    ],
)
def test_names_of_ones_own_are_allowed(text: str, tmp_path: Path) -> None:
    assert object_problem(text, tmp_path) is None


def test_a_file_that_is_no_object_is_refused_and_one_that_is_not_there_our_fault(
    tmp_path: Path,
) -> None:
    file = tmp_path / "rung.o"
    for data in (b"", b"text", b"\x7fELF\x02\x01" + b"\xff" * 200):
        file.write_bytes(data)
        found = check_object(file, Source("x.cu", b""))
        assert found
        assert found.kind is FindingKind.FORBIDDEN
        assert "cannot be examined" in found.message
    with pytest.raises(FaultError, match="cannot read the compiled rung"):
        check_object(tmp_path / "none.o", Source("x.cu", b""))


@needs_compiler
def test_an_object_of_very_many_sections_is_refused(tmp_path: Path) -> None:
    names = ",\n".join(f"v{number}" for number in range(33_000))
    found = object_problem(f"[[gnu::used]] inline int {names};\n", tmp_path)
    assert found
    assert "more than 65279 sections" in found.message
