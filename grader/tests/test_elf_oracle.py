# SPDX-License-Identifier: MIT
"""The reader of object files, compared with pyelftools, on objects of many kinds."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from lockstep_grader.rules.elf import Object, read_object

elftools = pytest.importorskip("elftools.elf.elffile")

PROGRAMS = {
    "plain": "int add(int a, int b) { return a + b; }\n",
    "globals": (
        'int a = 1; static int b; const char* c = "text";\n'
        "int* d = &a; int* e = &b; thread_local int f;\n"
    ),
    "library": (
        "#include <map>\n#include <string>\n"
        "std::map<std::string, int> m; int n = static_cast<int>(m.size());\n"
    ),
    "exceptions": (
        "struct E {}; int f(int a) { try { if (a) throw E(); } catch (E&) {} return 1; }\n"
    ),
    "virtual": "struct B { virtual int f(); virtual ~B(); }; int B::f() { return 1; } B b;\n",
    "attributes": (
        'extern "C" { void h() {} }\nint k;\n__attribute__((constructor)) void c() { k = 1; }\n'
        "__attribute__((weak)) int w() { return 1; }\n"
        '__attribute__((section(".mine"), used)) static int s = 3;\n'
        '__attribute__((ifunc("choose"))) int i(); extern "C" void* choose() { return (void*)h; }\n'
        '__attribute__((alias("h"))) void l();\n'
    ),
    "templates": "template <int N> int t() { return N; } int x() { return t<1>() + t<2>(); }\n",
    "empty": "",
}
OPTIONS = {
    "debug": ["-O0", "-g"],
    "small": ["-Os"],
    "sections": ["-O2", "-ffunction-sections", "-fdata-sections", "-fno-common"],
    "tsan": ["-O1", "-fsanitize=thread"],
    "pic": ["-O1", "-fPIC"],
}


def compiled(text: str, options: list[str], file: Path) -> Path:
    argv = ["g++", "-std=c++20", *options, "-x", "c++", "-c", "-o", str(file), "-"]
    subprocess.run(argv, input=text, text=True, check=True)
    return file


def by_pyelftools(file: Path) -> dict[str, Any]:
    with file.open("rb") as stream:
        elf = elftools.ELFFile(stream)
        table = elf.get_section_by_name(".symtab")
        symbols = list(table.iter_symbols()) if table else []
        sections = list(elf.iter_sections())
        return {
            "symbols": [
                (
                    symbol.name,
                    _BINDINGS[symbol["st_info"]["bind"]],
                    _section(symbol),
                    symbol["st_value"],
                )
                for symbol in symbols
            ],
            "sections": [
                (each.name, each["sh_flags"], each["sh_offset"], each["sh_size"])
                for each in sections
            ],
            "starts": {
                each["sh_info"]: tuple(_target(entry, symbols) for entry in each.iter_relocations())
                for each in sections
                if each["sh_type"] == "SHT_RELA" and "_array" in sections[each["sh_info"]].name
            },
        }


_BINDINGS = {"STB_LOCAL": 0, "STB_GLOBAL": 1, "STB_WEAK": 2, "STB_LOOS": 10}
_RESERVED = {"SHN_UNDEF": 0, "SHN_ABS": 0xFFF1, "SHN_COMMON": 0xFFF2}


def _section(symbol: Any) -> int:
    return int(_RESERVED.get(symbol["st_shndx"], symbol["st_shndx"]))


def _target(entry: Any, symbols: Sequence[Any]) -> str:
    """The function that the loader calls: the relocation's own, or the one at its place."""
    symbol = symbols[entry["r_info_sym"]]
    place = (_section(symbol), symbol["st_value"] + entry["r_addend"])
    functions = [
        each.name
        for each in symbols
        if each["st_info"]["type"] in ("STT_FUNC", "STT_LOOS")
        and (_section(each), each["st_value"]) == place
    ]
    return str(functions[-1] if functions else symbol.name)


def as_values(read: Object) -> dict[str, Any]:
    return {
        "symbols": [(each.name, each.binding, each.section, each.value) for each in read.symbols],
        "sections": [(each.name, each.flags, each.offset, each.size) for each in read.sections],
        "starts": read.pointers,
    }


@pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_an_object_is_read_as_pyelftools_reads_it(
    tmp_path: Path, program: str, options: str
) -> None:
    file = compiled(PROGRAMS[program], OPTIONS[options], tmp_path / "x.o")
    expected = by_pyelftools(file)
    assert as_values(read_object(file)) == expected
    assert expected["starts"] or program not in ("library", "attributes")
