# SPDX-License-Identifier: MIT
"""Mistakes that compilers name in other words than beginners know, at another line, or not at all.

Also names that CUDA once had, or has for newer GPUs alone: compilers call both undefined.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import NamedTuple

from lockstep_grader.model.grades import Finding, capability
from lockstep_grader.rules.source import Token, tokens_of
from lockstep_grader.words.headers import advice_on_library, header_advice
from lockstep_grader.words.scope import advice_on_scope, declares_template

_CUDA_NAMES = (
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "__syncthreads",
    "__syncwarp",
    "__global__",
    "__device__",
    "__host__",
    "__shared__",
    "__constant__",
    "__shfl_sync",
    "__shfl_up_sync",
    "__shfl_down_sync",
    "__shfl_xor_sync",
    "__ballot_sync",
    "__threadfence",
    "atomicAdd",
)
_FEW_BRACKETS = re.compile(r"(?<![\w<])(?P<name>[A-Za-z_]\w*)\s*<<?(?!<)[^;]*>\s*\(", re.DOTALL)
_OF_BRACKETS = re.compile(
    r"operator<<|integral or unscoped enum|operands to binary expression|undeclared identifier|"
    r"no (?:matching|instance) .*(?:function|template)"
)
_STATEMENT_LINES = 6  # of a launch that goes over several lines
_UNDEFINED = re.compile(
    r"(?:identifier \"(?P<name>\w+)\" is undefined|undeclared identifier '(?P<clangs>\w+)'|"
    r"unknown type name '(?P<type>\w+)')(?P<guess>; did you mean '[^']*'\?)?$"
)
_GUESS = re.compile(r"; did you mean '[^']*'\?$")  # clang's
# What a compiler says, the code of its line, and what to do; names are the code's.
_MEANINGS = tuple(
    (re.compile(message), re.compile(code), advice)
    for message, code, advice in (
        (
            r"lockstep::\w+|\buint3\b|\bdim3\b",
            r"\b(?P<name>(?:thread|block)Idx|(?:block|grid)Dim)\b(?!\s*\.)",
            "{name} has three parts: write {name}.x, {name}.y or {name}.z",
        ),
        (
            r"must be directly called|expression (?:result unused|has no effect)",
            r"(?:^|[;{}])\s*(?P<name>(?:__|cuda)\w+)\s*;",
            "without () nothing is called: write {name}();",
        ),
        (
            r"no (?:matching|instance) .*allocate",
            r"\ballocate\s*\(",
            "allocate cannot guess the type of an item: write it as in allocate<float>(count)",
        ),
        (
            r"no (?:matching|instance) .*cudaMalloc",
            r"\b(?P<name>cudaMalloc\w*)\s*\(\s*(?P<pointer>\w+)\s*,",
            "{name} stores an address in your pointer: write &{pointer}",
        ),
        (
            r"no (?:matching|instance) .*__(?:shfl|any|all|ballot)\w*_sync",
            r"\b(?P<name>__\w+_sync)\s*\(\s*(?!0x|k|~)",
            "the first argument of {name} names the lanes that take part (0xffffffff: all 32)",
        ),
        (
            r"variable.length array",
            r"",
            "the compiler must know an array's size: make it constexpr, or declare the array as "
            "extern __shared__ with [] and give its bytes as the third argument of the launch",
        ),
        (
            r"left operand of comma operator|comma operator in an array subscript",
            r"",
            "only the last value counts: write dim3(x, y) for a shape, and row * width + column "
            "for an element",
        ),
        (
            r"would lose const|read-only variable|modifiable lvalue|const-qualified",
            r"",
            "what is const is only read: is another array or variable meant?",
        ),
        (
            r"assigning to '[^']*\*' from|cannot be assigned to an entity of type \"[^\"]*\*\"|"
            r"a variable of type '[^'*]*' with an [lr]value of type '[^']*\*'|"
            r"operands to binary expression \(.*\*'",
            r"",
            "a pointer is an address: write [index] after it for an element",
        ),
        (
            r"a parameter of type '(?:const )?(\w+) \*' with an [lr]value of type '(?:const )?\1'",
            r"[(,]\s*\*\s*\w+|\]\s*[,)]",
            "pass the pointer itself, without * before it or [index] after it",
        ),
        (
            r"called object type|apparent call",
            r"\b(?P<part>(?:(?:thread|block)Idx|(?:block|grid)Dim)\.[xyz])\s*\(",
            "{part} is a number: write it without ()",
        ),
        (
            r"called object type|apparent call",
            r"",
            "only a function has () after it: write [index] for an element of an array",
        ),
        (
            r"operands to binary expression|integral or unscoped enum",
            r"%",
            "% is for whole numbers: use fmodf for float, or convert both sides to int",
        ),
        (
            r"member reference base type '[^']*\*'|must have class type",
            r"\.\s*(?:size|length)\s*\(",
            "a pointer does not know how many elements follow: use the parameter with their number",
        ),
        (
            r"too few execution configuration arguments",
            r"",
            "a launch has two numbers, <<<blocks, threads per block>>>",
        ),
        (
            r"(?:cudaStream_t|CUstream_st).*shared_bytes|shared_bytes.*(?:cudaStream_t|CUstream_st)|"
            r"cudaStream_t.*size_t|argument of type \"cudaStream_t\"",
            r"<<<",
            "the third value of a launch is its bytes of dynamic shared memory, and the stream is "
            "the fourth: write <<<blocks, threads, 0, stream>>>",
        ),
        (
            r"casts? away|cannot cast away",
            r"_cast\s*<\s*(?P<type>[\w:]+)\s*\*",
            "what is const is only read: write const {type}* here and for the variable",
        ),
        (
            r"a (?:variable|parameter) of type '(\w+) \*' with an [lr]value of type 'const \1 \*'",
            r"",
            "what is const is only read: write const before this type, too",
        ),
        (
            r"deduced conflicting types|no instance of function template",
            r"\b(?P<name>(?:std\s*::\s*)?(?:min|max|clamp|swap|ceil_div))\s*\(",
            "all arguments of {name} must have one type: convert them, as in static_cast<int>(...)",
        ),
        (
            r"redeclaration of '(?:\w+)' with a different type|declaration is incompatible",
            r"extern\s+__shared__|__shared__\s+extern",
            "all extern __shared__ arrays of this name are one, of one type, also in the instances "
            "of a template: declare it as unsigned char, and convert its address by "
            "reinterpret_cast",
        ),
        (
            r"subscripted value is not|expression must have pointer-to-object",
            r"\b(?P<name>\w+)\s*\[[^\]]*\]\s*\[",
            "{name} has one index: write {name}[row * width + column]",
        ),
        (
            r"invalid % escape in inline assembly",
            r"",
            "write %% for the % of a register of the GPU, as in %%laneid",
        ),
    )
)
# What editors and web pages put in the place of a character of C++.
_LOOK_ALIKES = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u00b4", "'"),
    "\u00a0": "a blank",
    "\u00d7": "*",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2260": "!=",
}
_UNEXPECTED = re.compile(r"unexpected character <U\+(?P<code>[0-9A-F]+)>")
_NO_CHARACTERS = "\\`"  # outside of texts, and of the ends of lines

_EXPECTED_SEMICOLON = re.compile(r"expected (?:a |one of )?.{0,20}?['\"\u2018];['\"\u2019]")
_COMMENT = re.compile(r"\s*(?://.*|/\*.*\*/\s*)?$")
_LONGEST = 1000  # of a line that is searched for it, which takes time for the square of its length

_OLD_WARP_FUNCTION = re.compile(
    r"(?=.*(?:undefined|not declared|undeclared))"
    r".*?['\"\u2018](?P<name>__(?:shfl(?:_up|_down|_xor)?|any|all|ballot))['\"\u2019]"
)
_OF_NEWER_GPUS = (
    (re.compile(r"__reduce_(?:add|min|max|and|or|xor)_sync"), "8.0", "use __shfl_xor_sync"),
    (
        re.compile(
            r"__cluster_\w+|__cluster(?:DimIsSpecified|Dim|RelativeBlock(?:Idx|Rank)|Idx|"
            r"GridDimInClusters|SizeInBlocks)|__is(?:Cta|Cluster)Shared|__threadfence_cluster|"
            r"this_cluster|cluster_group"
        ),
        "9.0",
        "leave clusters out",
    ),
)
_NVCC_UNDEFINED = re.compile(
    r'(?:identifier "(?P<name>\w+)" is undefined|has no member "(?P<member>\w+)")$'
)

_FOLLOWS = re.compile(
    r"expected|extraneous|at end of input|end of (?:file|source)|not allowed|a function-definition|"
    r"storage class|before ['\u2018]?[{}]",
    re.IGNORECASE,
)
_SAYS_NAMESPACE = re.compile(r"//\s*(?:anonymous |end )?namespace\b|//\s*end of namespace\b")
_NO_STATEMENTS = frozenset({"public", "private", "protected", "case", "default", "else"})


def in_beginners_words(finding: Finding, lines: Sequence[str]) -> Finding:
    """The compiler's finding, at the line to change and with what to change."""
    if is_about_braces(finding.message) and (found := unbalanced(lines)):
        line, message = found
        return replace(finding, message=message, line=line, column=0)
    if stray := _stray_character(finding, lines):
        return replace(finding, message=stray)
    finding = moved_to_the_gap(finding, lines)
    advice = _advice(finding.message, lines, finding.line)
    if not advice:
        return finding
    return replace(finding, message=f"{_GUESS.sub('', finding.message)}: {advice}")


def _stray_character(finding: Finding, lines: Sequence[str]) -> str:
    """What to do about a character that C++ does not have; nothing if it is not blamed."""
    if match := _UNEXPECTED.search(finding.message):
        character = chr(int(match["code"], 16))
        meant = _LOOK_ALIKES.get(character)
        advice = f"type {meant} in its place" if meant else "C++ has no such character"
        return f"'{character}' is here, as copied text may have it: {advice}"
    if not 0 < finding.line <= len(lines) or not finding.column:
        return ""
    rest = lines[finding.line - 1][finding.column - 1 :].rstrip()
    if rest[:1] in _NO_CHARACTERS and len(rest) > 1:
        return f"the {rest[0]} does not belong here: delete it"
    return ""


def _advice(message: str, lines: Sequence[str], line: int) -> str:
    if not 0 < line <= len(lines):
        return ""
    code = lines[line - 1]
    if _OF_BRACKETS.search(message):
        match = _FEW_BRACKETS.search("\n".join(lines[line - 1 : line - 1 + _STATEMENT_LINES]))
        if match and _is_kernel(match["name"], lines):
            return (
                f"a launch has three angle brackets on each side, "
                f"{match['name']}<<<blocks, threads>>>(...)"
            )
    if (match := _UNDEFINED.search(message)) and (advice := _origin(match, lines, line)):
        return advice
    return advice_on_library(message) or advice_on(message, code)


def _origin(match: re.Match[str], lines: Sequence[str], line: int) -> str:
    """Where an unknown name may come from."""
    name = match["name"] or match["clangs"] or match["type"]
    if similar := get_close_matches(name, _CUDA_NAMES, n=1, cutoff=0.75):
        return f"did you mean {similar[0]}?" if not match["guess"] else ""
    if declares_template(name, lines):
        return (
            f"{name} is known only in the template that declares it: write template <class {name}> "
            "before this function, too"
        )
    return advice_on_scope(name, line, lines) or header_advice(name, lines[line - 1])


def advice_on(message: str, code: str) -> str:
    """What to do about what a compiler says of this line of code; empty where it is clear."""
    for said, written, advice in _MEANINGS:
        if said.search(message) and (match := written.search(code)):
            return advice.format(**match.groupdict())
    return ""


def _is_kernel(name: str, lines: Sequence[str]) -> bool:
    pattern = re.compile(rf"__global__[^;{{}}()]*(?:\([^)]*\)[^;{{}}()]*)?\b{re.escape(name)}\s*\(")
    return bool(pattern.search("\n".join(lines)))


def moved_to_the_gap(finding: Finding, lines: Sequence[str]) -> Finding:
    """`finding` at the end of the line that lacks the semicolon, if it blames the line after."""
    if not _EXPECTED_SEMICOLON.search(finding.message) or not 0 < finding.line <= len(lines):
        return finding
    code = lines[finding.line - 1]
    first = len(code) - len(code.lstrip()) + 1
    blamed = re.search(r"before ['\u2018](.+?)['\u2019]", finding.message)
    begins = code.lstrip().startswith(blamed[1]) if blamed else finding.column == first
    if not begins:
        return finding
    for number in range(finding.line - 1, 0, -1):
        if len(lines[number - 1]) > _LONGEST:
            return finding
        before = _COMMENT.sub("", lines[number - 1]).rstrip()
        if before:
            message = "';' is missing at the end of this line"
            return replace(finding, message=message, line=number, column=len(before) + 1)
    return finding


def with_successor(message: str) -> str:
    """A compiler's message; of a name that CUDA has removed, also what took its place."""
    if match := _OLD_WARP_FUNCTION.search(message):
        name = match["name"]
        return (
            f"{message}: CUDA 9 replaced {name} by {name}_sync, whose first argument names the "
            "lanes that take part (0xffffffff: all 32)"
        )
    return message


def with_needed_gpu(message: str, architectures: Sequence[str]) -> str:
    """nvcc's message; of a name that the oldest of `architectures` lacks, also which one has it."""
    if match := _NVCC_UNDEFINED.search(message):
        name = match["name"] or match["member"]
        oldest = architectures[0]
        for names, needed, advice in _OF_NEWER_GPUS:
            if names.fullmatch(name) and capability(oldest) < capability(needed):
                return (
                    f"{message}: {name} needs compute capability {needed}, and this rung is also "
                    f"compiled for {oldest}: {advice}"
                )
    return message


# ---- braces: compilers report the end of the file; the indentation shows what its author meant


class _Open(NamedTuple):
    line: int  # of the brace
    indent: int  # of the statement that it belongs to
    is_namespace: bool


class _Statement:
    """What has been read since the last brace or semicolon."""

    def __init__(self) -> None:
        self.first: Token | None = None
        self.is_namespace = False

    def take(self, token: Token) -> None:
        if self.first is None:
            self.first = token
        self.is_namespace = self.is_namespace or token.text in ("namespace", "extern")


def is_about_braces(message: str) -> bool:
    """Whether a compiler may say this because of a brace."""
    return bool(_FOLLOWS.search(message))


def unbalanced(lines: Sequence[str]) -> tuple[int, str] | None:
    """The line of the brace that has no partner, and what to do; nothing if all have one."""
    if any(re.match(r"\s*#\s*(?:else|elif)", line) for line in lines):
        return None  # either branch may have braces of its own
    opened: list[_Open] = []
    unclosed: tuple[_Open, int] | None = None  # and the line that shows it
    early = 0  # the line of the first '}' further right than its '{'
    statement = _Statement()
    for token, is_first in _code(lines):
        indent = _indent(lines[token.line - 1])
        begins = is_first and statement.first is None and token.text not in _NO_STATEMENTS
        top = opened[-1] if opened else None
        if begins and token.kind == "word" and indent == 0 and top and not top.is_namespace:
            unclosed = unclosed or (top, token.line)
        if token.text == "{":
            start = statement.first or token
            opened.append(_Open(token.line, _indent(lines[start.line - 1]), statement.is_namespace))
        elif token.text == "}":
            if top is None:
                line = early or token.line
                return line, "this '}' is one too many: no '{' before it is still open"
            closes_namespace = bool(_SAYS_NAMESPACE.search(lines[token.line - 1]))
            if is_first and (indent < top.indent or (closes_namespace and not top.is_namespace)):
                unclosed = unclosed or (top, token.line)
            if is_first and indent > top.indent:
                early = early or token.line
            opened.pop()
        if token.text in ("{", "}", ";"):
            statement = _Statement()
        else:
            statement.take(token)
    if not opened:
        return None
    brace, shown = unclosed or (opened[-1], 0)
    where = f"before line {shown}" if shown else "before the end of the file"
    return brace.line, f"a '}}' is missing {where}: the '{{' of this line is not closed"


def _code(lines: Sequence[str]) -> Iterator[tuple[Token, bool]]:
    """The tokens without directives, and whether each is the first of its line."""
    last, in_directive = 0, False
    for token in tokens_of("\n".join(lines)):
        if token.kind == "newline" or not 0 < token.line <= len(lines):
            in_directive = False
            continue
        is_first = token.line != last
        last = token.line
        in_directive = in_directive or (is_first and token.text == "#")
        if not in_directive:
            yield token, is_first


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
