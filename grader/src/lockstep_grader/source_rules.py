# SPDX-License-Identifier: MIT
"""What may not stand in a rung's text, because a compiled object no longer shows it.

The text is read as the compiler reads it, up to macros: line splices, comments and literals first.
Whatever would let macros hide the words below (token pasting, unknown attributes) is refused, too.
"""

import re
from collections.abc import Iterator

from lockstep_grader.model import Backend, Finding, FindingKind
from lockstep_grader.submission import Source

_TOKENS = re.compile(
    r"""(?P<raw>\b(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=delimiter)")
      | (?P<comment>//[^\n]*|/\*(?:.|\n)*?(?:\*/|\Z))
      | (?P<number>(?<!\w)\.?\d(?:'?[\w.])*)
      | (?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.VERBOSE,
)
_DIRECTIVE = re.compile(r"^[ \t]*(?:\#|%:)[ \t]*(?P<name>\w*)(?P<rest>[^\n]*)$", re.MULTILINE)
_INCLUDE = re.compile(r"""\s*(?:<(?P<system>[^>\n]*)>|"(?P<local>[^"\n]*)")\s*""")
# A string that says something to the compiler: a file's name, a pragma.
_BEFORE_A_NAME = re.compile(
    r"^[ \t]*(#|%:)[ \t]*(include|include_next|import|line)?\s*\d*\s*$|\b_Pragma\s*\(\s*$"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_ATTRIBUTE = re.compile(r"\b__attribute(?:__)?\b|\[\s*\[")

_LIBRARIES = re.compile(
    r"(thrust|cub|cutlass|cute|cudnn|cccl|cuda/experimental)(/|$|\.)|"
    r"(cublas|cufft|curand|cusparse|cusolver|nvrtc|nccl|npp|nvjpeg)\w*(\.h|$)"
)
_ATTRIBUTES = """
aligned always_inline assume carries_dependency const deprecated device fallthrough flatten
global gnu gsl hot cold host launch_bounds likely maybe_unused may_alias managed noinline
nodiscard noreturn no_unique_address nothrow nv_pure packed pure returns_nonnull shared
unlikely unroll unused using vector_size clang
"""
_ALLOWED_ATTRIBUTES = frozenset(_ATTRIBUTES.split())
_ALLOWED_PRAGMAS = re.compile(
    r"(unroll|nounroll|once|nv_diag\w*|nv_exec_check_disable|GCC diagnostic|diag_\w+|region|"
    r"endregion|pack|message)\b"
)
_ASM = frozenset({"asm", "__asm", "__asm__"})
# System headers' macros that expand to asm labels and attributes, and ways to name a builtin.
_HIDING = re.compile(
    r"__(REDIRECT|ASMNAME|attribute_(?!_)|extern_|attr_)\w*|__builtin_(apply|return)\w*"
)


def check_source(source: Source, backend: Backend) -> Finding | None:
    """The first thing in the text that no rung may have."""
    text = source.data.decode("utf-8", "replace")
    for line, message in sorted(_complaints(_bare(text), backend)):
        return Finding(FindingKind.FORBIDDEN, f"may not have {message}", source.file_name, line)
    return None


def _bare(text: str) -> str:
    """`text` without comments and, but in includes, literals; lines keep their numbers."""
    # A spliced line's end moves behind the line it belongs to.
    pieces, pending = [], 0
    for line in text.splitlines():
        stripped = line.rstrip(" \t")
        if stripped.endswith("\\"):
            pieces.append(stripped[:-1])
            pending += 1
        else:
            pieces.append(line + "\n" * (pending + 1))
            pending = 0
    return _TOKENS.sub(_blank, "".join(pieces))


def _blank(match: re.Match[str]) -> str:
    if match["number"]:  # the quotes in 1'000'000 begin nothing
        return match[0]
    if match["text"] and match["text"].startswith('"'):
        start = match.string.rfind("\n", 0, match.start()) + 1
        before = re.sub(r"/\*.*?\*/", " ", match.string[start : match.start()])
        if re.fullmatch(
            r"[ \t]*(#|%:)[ \t]*(include|include_next|import|line|\d+)?\s*\d*\s*", before
        ):
            return match[0]
        if re.search(r"\b_Pragma\s*\(\s*$", before):
            return match[0]
    return ('""' if not match["comment"] else " ") + "\n" * match[0].count("\n")


def _complaints(text: str, backend: Backend) -> Iterator[tuple[int, str]]:
    for match in _DIRECTIVE.finditer(text):
        if message := _directive_problem(match["name"], match["rest"]):
            yield _line(text, match.start("rest")), message
    for match in re.finditer(r"\b_Pragma\s*\(\s*(\"[^\n]*?\")?", text):
        if not match[1] or not _ALLOWED_PRAGMAS.match(match[1].strip('"').strip()):
            yield _line(text, match.start()), "a pragma that changes how code is compiled"
    for match in re.finditer(r"##|%:%:", text):
        yield _line(text, match.start()), "tokens pasted by ##: write the whole name"
    for match in _WORD.finditer(text):
        if match[0] in _ASM and backend is Backend.CPU:
            yield (
                _line(text, match.start()),
                "inline assembly: write it in C++, or use an intrinsic",
            )
        elif _HIDING.fullmatch(match[0]):
            yield _line(text, match.start()), f"{match[0]}, which is for system headers alone"
    for match in re.finditer(r"(\[|<:)\s*<:(?!:)|<:\s*\[", text):
        yield _line(text, match.start()), "brackets spelled as digraphs"
    yield from _attribute_problems(text)


def _directive_problem(name: str, rest: str) -> str:
    if name in ("include", "include_next", "import"):
        match = _INCLUDE.match(rest)
        if match is None:
            return "an include whose name is not written out"
        path = match["system"] if match["system"] is not None else match["local"]
        if _LIBRARIES.match(path):
            library = path.partition("/")[0].partition(".")[0]
            return f"{library}: what it does is this lab's to write"
        if path.startswith("/") or ".." in path.split("/"):
            return "an include from outside: take the lab's headers and the standard ones"
        return ""
    if name == "line" or name.isdigit():
        return "line numbers of its own: findings would name the wrong places"
    if name == "pragma" and not _ALLOWED_PRAGMAS.match(rest.strip()):
        return "a pragma that changes how code is compiled"
    return ""


def _attribute_problems(text: str) -> Iterator[tuple[int, str]]:
    for match in _ATTRIBUTE.finditer(text):
        is_gnu = match[0].startswith("_")
        end = _end_of_list(text, match.end(), "()" if is_gnu else "[]", 0 if is_gnu else 2)
        if end is None:
            if is_gnu:
                yield _line(text, match.start()), "__attribute__ without its list"
            continue
        # A list's own words, not its arguments': aligned(kBytes) is all about `aligned`.
        inside = text[match.end() : end]
        depth = 0
        for part in re.finditer(r"[()]|[A-Za-z_]\w*", inside):
            bracket = {"(": 1, ")": -1}.get(part[0])
            if bracket:
                depth += bracket
            elif depth <= (2 if is_gnu else 0):
                word = part[0].strip("_")
                if word not in _ALLOWED_ATTRIBUTES:
                    place = _line(text, match.end() + part.start())
                    yield place, f"the attribute {word}: a rung needs none of the kind"


def _end_of_list(text: str, at: int, brackets: str, depth: int) -> int | None:
    """Where the bracketed list that begins at `at` ends; None when it is no list."""
    opening, closing = brackets[0], brackets[1]
    is_open = depth > 0
    for index in range(at, len(text)):
        char = text[index]
        if char == opening:
            depth += 1
            is_open = True
        elif char == closing:
            depth -= 1
            if depth == 0:
                return index
        elif not is_open and not char.isspace():
            return None
    return None


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
