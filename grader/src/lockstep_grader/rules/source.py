# SPDX-License-Identifier: MIT
"""Forbids what a rung's text may not contain and a compiled object no longer shows.

The text is read as g++ reads it, up to macros: splices, comments, literals, directives. Where a
reader could fall out of step with g++ (raw strings, a `$` in a name), the text is refused, and so
is whatever would let macros hide the words below. The work is linear in the text's length.
"""

import posixpath
import re
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Backend, Finding, FindingKind
from lockstep_grader.rules.tokens import Token, tokens_of, unreadable

_LIBRARIES = re.compile(
    r"(thrust|cub|cutlass|cute|cudnn|cccl|cuda/experimental)(/|$|\.)|"
    r"(cublas|cufft|curand|cusparse|cusolver|nvrtc|nccl|npp|nvjpeg)\w*(\.h|$)"
)
# Other folders' headers (Linux, Boost, ...) bring macros that paste names or hold assembly.
_HEADER_FOLDERS = frozenset({"lab", "cuda", "cooperative_groups", "sys"})
_HEADER_NAME = re.compile(r"<([\w./+-]+)>|\"([\w./+-]+)\"", re.ASCII)
_CONDITIONS = frozenset({"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"})
_DIRECTIVES = _CONDITIONS | {"include", "define", "undef", "error", "warning", "pragma"}
_ATTRIBUTES = """
aligned always_inline assume carries_dependency const deprecated device fallthrough flatten
global gnu gsl hot cold host launch_bounds likely maybe_unused may_alias managed noinline
nodiscard noreturn no_unique_address nothrow nv_pure packed pure returns_nonnull shared
unlikely unroll unused using vector_size clang
"""
_ALLOWED_ATTRIBUTES = frozenset(_ATTRIBUTES.split())
_GNU_ATTRIBUTE = frozenset({"__attribute__", "__attribute"})
# Code that may write these outside a list can assemble a list that this check does not see.
_VENDORS = frozenset({"gnu", "__gnu__", "clang", "_Clang"})
_ALLOWED_PRAGMAS = re.compile(
    r"(unroll|nounroll|once|nv_diag\w*|nv_exec_check_disable|GCC diagnostic|diag_\w+|region|"
    r"endregion|pack|message)\b"
)
# Headers' own macros that paste names or hold assembly, attributes and pragmas.
_HIDING = re.compile(
    r"__(REDIRECT|ASMNAME|CONCAT|attribute_(?!_)|extern_|attr_|glibc_|glibcxx_|GLIBC_|gthrw|GMP|MPN|"
    r"nonnull|annotate__|location__|errordecl|warnattr|warndecl|MATH|STRUCT|DECLARE_|f\d+x?$)\w*|"
    r"_(GLIBCXX|PSTL|ElfW|EXFUN|CCCL|LIBCUDACXX|NV_|CG_|CUDA_)\w*|__builtin_(apply|return)\w*"
)
_INTRINSICS = re.compile(r"(\w*intrin|arm_\w+|cpuid|mm_malloc|x86gprintrin)\.h")
# They read names by rules of their own: a quote or a comment may begin in one and end elsewhere.
_ASKING = frozenset({"__has_include", "__has_include_next", "__has_embed"})
_PAIRS = {")": "(", "]": "[", "}": "{"}

_Problem = tuple[int, str]


def check_source(source: Source, backend: Backend) -> Finding | None:
    """The first forbidden thing in the text."""
    text = source.data.decode("utf-8-sig", "replace")
    problems = _policy_problems if backend is Backend.CPU else _problems
    for line, message in problems(text):
        return Finding(
            FindingKind.FORBIDDEN, f"a rung may not have {message}", source.file_name, line
        )
    return None


def _policy_problems(text: str) -> Iterator[_Problem]:
    """What a lab forbids: other people's solutions of it, and files that are not the lab's.

    On the emulator a rung's kernels and its host code are processes apart from the judge, so any
    style of code is as good as another there. The compiler finds no library that is forbidden here,
    so a text that misleads this reader gains nothing.
    """
    for part in _parts(tokens_of(text)):
        if part.is_directive and part.tokens and part.tokens[0].text == "include":
            yield from _directive_problems(part.tokens)


def _problems(text: str) -> Iterator[_Problem]:
    if problem := unreadable(text):
        yield problem
        return
    for part in _parts(tokens_of(text)):
        if part.is_directive:
            yield from _directive_problems(part.tokens)
        yield from _word_problems(part.tokens)
        yield from _attribute_problems(part.tokens)


class _Part(NamedTuple):
    """A directive without its `#`, or all that stands between two of them."""

    is_directive: bool
    tokens: list[Token]


def _parts(tokens: Iterator[Token]) -> Iterator[_Part]:
    code: list[Token] = []
    directive: list[Token] | None = None
    begins_line = True
    for token in tokens:
        if token.kind == "newline":
            if directive is not None:
                yield _Part(is_directive=True, tokens=directive)
                directive = None
            begins_line = True
        elif directive is not None:
            directive.append(token)
        elif begins_line and token.text == "#":
            yield _Part(is_directive=False, tokens=code)
            code, directive = [], []
        else:
            code.append(token)
            begins_line = False
    if directive is not None:
        yield _Part(is_directive=True, tokens=directive)
    yield _Part(is_directive=False, tokens=code)


def _directive_problems(tokens: Sequence[Token]) -> Iterator[_Problem]:
    if not tokens:  # a lone # says nothing
        return
    name, rest = tokens[0], tokens[1:]
    if name.text == "line" or name.kind == "number":
        yield name.line, "line numbers of its own: findings would name the wrong places"
    elif name.text not in _DIRECTIVES:
        yield name.line, f"the directive #{name.text}: a rung needs none of the kind"
    elif name.text == "include":
        if problem := _include_problem("".join(token.spaced for token in rest).strip()):
            yield name.line, problem
    elif name.text == "pragma":
        if not _ALLOWED_PRAGMAS.match("".join(token.spaced for token in rest).strip()):
            yield name.line, "a pragma that changes how code is compiled"
    elif name.text == "define":
        yield from _define_problems(rest)


def _include_problem(written: str) -> str:
    match = _HEADER_NAME.fullmatch(written)
    if match is None:
        return "an include whose name is not written out"
    path = match[1] or match[2]
    parts = path.split("/")
    if path.startswith("/") or ".." in parts:
        return "an include from outside: take the lab's headers and the standard ones"
    if _LIBRARIES.match(posixpath.normpath(path)):
        library = posixpath.normpath(path).partition("/")[0].partition(".")[0]
        return f"{library}: what it does is this lab's to write"
    if _INTRINSICS.fullmatch(path):
        return f"an include of {path}: a processor's own instructions are not CUDA"
    if "." in parts or "" in parts:
        return f"an include of {path}: write the header's name without ./ and //"
    if path == "bits/stdc++.h":
        return (
            f"an include of {path}, which only g++ has: include the standard headers that you use, "
            "such as <algorithm> and <vector>"
        )
    if len(parts) > 1 and parts[0] not in _HEADER_FOLDERS:
        return f"an include of {path}: take the lab's headers and the standard ones"
    return ""


def _define_problems(tokens: Sequence[Token]) -> Iterator[_Problem]:
    """Macros that would make other words or other brackets of what is read here."""
    if not tokens:
        return
    body = 1
    if len(tokens) > 1 and tokens[1].text == "(" and not tokens[1].after_blank:
        while body < len(tokens) and tokens[body].text != ")":
            body += 1
        body += 1
    for token in tokens[:body]:
        if token.kind == "word" and (
            token.text.strip("_") in _ALLOWED_ATTRIBUTES or token.text in _GNU_ATTRIBUTE
        ):
            yield token.line, f"a macro with the name {token.text}, which is an attribute's"
    open_brackets: list[str] = []
    for token in tokens[body:]:
        if token.text in ("(", "["):
            open_brackets.append(token.text)
        elif token.text in (")", "]") and (
            not open_brackets or open_brackets.pop() != _PAIRS[token.text]
        ):
            open_brackets.append("")
            break
    if open_brackets:
        yield tokens[0].line, f"a macro with half a pair of brackets: {tokens[0].text}"


def _word_problems(tokens: Sequence[Token]) -> Iterator[_Problem]:
    for at, token in enumerate(tokens):
        if token.kind == "raw":
            yield token.line, 'a raw string: write an ordinary one, with \\n and \\"'
        elif token.kind == "digraph":
            yield token.line, f"brackets spelled as digraphs: {token.text}"
        elif token.kind == "torn":
            yield token.line, "a quote that touches a number: put a blank between them"
        elif token.kind == "paste":
            yield token.line, "tokens pasted by ##: write the whole name"
        elif token.kind == "stray":
            yield (
                token.line,
                (
                    f"{_shown(token.text)} outside of comments and strings: "
                    "names and code are letters, digits and signs of ASCII"
                ),
            )
        elif token.kind != "word":
            continue
        elif token.text == "_Pragma":
            if not _is_allowed_pragma(tokens[at + 1 : at + 4]):
                yield token.line, "a pragma that changes how code is compiled"
        elif _HIDING.fullmatch(token.text):
            yield token.line, f"{token.text}, which is for the system's headers alone"
        elif token.text in _ASKING:
            yield token.line, f"{token.text}: the lab's headers are always there"


def _is_allowed_pragma(tokens: Sequence[Token]) -> bool:
    if len(tokens) != 3 or tokens[0].text != "(" or tokens[2].text != ")":
        return False
    text = tokens[1].text
    return (
        text.startswith('"')
        and "\\" not in text
        and _ALLOWED_PRAGMAS.match(text.strip('"').strip()) is not None
    )


def _shown(character: str) -> str:
    if character.isascii() or character.isprintable():
        return f"the character {character}"
    return f"the invisible character U+{ord(character):04X}"


def _attribute_problems(tokens: Sequence[Token]) -> Iterator[_Problem]:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.text in _GNU_ATTRIBUTE:
            if following != "(":
                yield token.line, "__attribute__ without its list"
                return
            at = yield from _list_problems(tokens, at + 1, own_depth=2)
        elif token.text == following == "[":
            at = yield from _list_problems(tokens, at, own_depth=2)
        elif token.text in _VENDORS:
            yield token.line, f"{token.text} outside of an attribute's brackets"
            return
        else:
            at += 1


def _list_problems(
    tokens: Sequence[Token], begin: int, own_depth: int
) -> Generator[_Problem, None, int]:
    """The problems of the list whose first bracket is at `begin`; returns where it has ended.

    Only the list's own words are looked at, not its arguments': aligned(kBytes) is about `aligned`.
    """
    open_brackets: list[str] = []
    for at in range(begin, len(tokens)):
        token = tokens[at]
        if token.text in ("(", "[", "{"):
            open_brackets.append(token.text)
            if len(open_brackets) > own_depth and token.text == tokens[at - 1].text == "[":
                yield token.line, "attributes within attributes"
                return len(tokens)
        elif token.text in _PAIRS:
            if open_brackets.pop() != _PAIRS[token.text]:
                yield token.line, "an attribute whose brackets do not match"
                return len(tokens)
            if not open_brackets:
                return at + 1
        elif token.text in _GNU_ATTRIBUTE:
            yield token.line, "attributes within attributes"
            return len(tokens)
        elif token.kind == "word" and len(open_brackets) <= own_depth:
            word = token.text.strip("_")
            if word not in _ALLOWED_ATTRIBUTES:
                yield token.line, f"the attribute {word}: a rung needs none of the kind"
                return len(tokens)
    yield tokens[begin].line, "an attribute whose brackets are not closed before the next directive"
    return len(tokens)
