# SPDX-License-Identifier: MIT
"""The likeliest cause of a wrong result in the text of the rung, where no checker found one.

A compiler's warning, a kernel that is never launched, an array that a block's threads do not share,
a launch with its two numbers swapped, a shuffle over a whole warp. Findings get the student's own
names of device memory, which an emulator can only count ("allocation 3").
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import CompilerWarning, Finding, FindingKind, TestResult
from lockstep_grader.rules.source import Token, tokens_of

# What a judge says of a mistake that no checker saw.
_SYMPTOMS = frozenset(
    {
        FindingKind.WRONG_RESULT,
        FindingKind.OUTPUT_UNWRITTEN,
        FindingKind.FORBIDDEN,
        FindingKind.TIMEOUT,
        FindingKind.CRASH,
    }
)
# What kernels do in blocks of another size, or in more of them.
_OF_WRONG_BLOCKS = frozenset({FindingKind.OUT_OF_BOUNDS, FindingKind.UNINITIALIZED_READ})
# A compiler takes for granted that the end of such a function is never reached, and so drops code.
_NO_RETURN = re.compile(r"does not return a value")
_NOTHING = frozenset[FindingKind]()
_ANYTHING = frozenset(FindingKind)
_IN_FRONT = frozenset({"__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__block_size__"})
_BARRIERS = frozenset({"__syncthreads", "__syncwarp"})
_NO_TYPES = frozenset({"else", "do", "return", "case", "new", "delete", "throw"})
_WARP_SIZE = 32
_RELATIVE_SHUFFLES = frozenset({"__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"})
# How programs call the two numbers of a launch.
_OF_A_BLOCK = re.compile(
    r"(?:k|num_?|dim)?_?(?:threads\w*|block|block_?(?:size|dim|shape))", re.IGNORECASE
)
_OF_A_GRID = re.compile(
    r"(?:k|num_?|dim)?_?(?:grid|grid_?(?:size|dim|shape)|blocks|blocks_?per_?grid|ceil_?div|"
    r"div_?up)",
    re.IGNORECASE,
)


class _Cause(NamedTuple):
    line: int
    said: str
    kinds: frozenset[FindingKind] = _SYMPTOMS
    leads_to: frozenset[FindingKind] = frozenset()  # mistakes that are seen in other lines


def with_likely_cause(
    tests: tuple[TestResult, ...], source: Source, warnings: Sequence[CompilerWarning]
) -> tuple[TestResult, ...]:
    """The tests; each symptom without a place has the place and the words of its likeliest cause.

    One with a place also has the compiler's warning about its line. Memory has the rung's names.
    """
    if not any(test.findings for test in tests):
        return tests
    lines = {source.file_name: source.data.decode("utf-8", "replace").splitlines()}
    causes = (
        *_never_launched(source),
        *_warned(warnings),
        *_not_shared(source),
        *_swapped(source),
        *_over_a_warp(source),
    )

    def told(finding: Finding) -> Finding:
        finding = replace(finding, message=with_names(finding.message, lines))
        for cause in causes:
            if finding.kind in cause.kinds and finding.line in (0, cause.line):
                message = f"{finding.message}\n{cause.said}."
                return replace(finding, message=message, file=source.file_name, line=cause.line)
            if finding.kind in cause.leads_to:
                return replace(
                    finding, message=f"{finding.message}\nLine {cause.line}: {cause.said}."
                )
        return finding

    def told_of(test: TestResult) -> TestResult:
        findings = tuple(map(told, test.findings))
        message = test.message
        for before, after in zip(test.findings, findings, strict=True):
            message = message.replace(before.message, after.message) if before.message else message
        return replace(test, findings=findings, message=message)

    return tuple(map(told_of, tests))


def _warned(warnings: Sequence[CompilerWarning]) -> Iterator[_Cause]:
    lines: dict[int, list[str]] = {}
    for warning in warnings:
        if warning.is_telling:
            lines.setdefault(warning.line, []).append(warning.message)
    for line, messages in lines.items():
        said = "; ".join(messages)
        yield _Cause(line, f"The compiler warns about this line: {said}")
        if any(map(_NO_RETURN.search, messages)):
            yield _Cause(line, f"the compiler warns: {said}", _NOTHING, leads_to=_ANYTHING)


def _never_launched(source: Source) -> Iterator[_Cause]:
    """The kernels that are only defined or declared."""
    tokens = _code(source)
    heads = [token for at in range(len(tokens)) if (token := _kernel_at(tokens, at))]
    declared = Counter(token.text for token in heads)
    used = Counter(token.text for token in tokens)
    for token in heads:
        if used[token.text] == declared[token.text]:
            said = f"{token.text} is never launched"
            yield _Cause(token.line, said, frozenset({FindingKind.OUTPUT_UNWRITTEN}))


def _kernel_at(tokens: Sequence[Token], at: int) -> Token | None:
    """The name of the kernel that the __global__ at this place declares."""
    if tokens[at].text != "__global__":
        return None
    for name, sign in zip(tokens[at + 1 :], tokens[at + 2 :], strict=False):
        if name.text in ("{", ";"):
            return None
        if name.kind == "word" and sign.text == "(" and name.text not in _IN_FRONT:
            return name
    return None


def _not_shared(source: Source) -> Iterator[_Cause]:
    """Arrays of a kernel with a barrier, in a file in which nothing is shared."""
    tokens = _code(source)
    if any(token.text == "__shared__" for token in tokens):
        return
    for at in range(len(tokens)):
        if _kernel_at(tokens, at):
            body = tokens[at : _end_of_body(tokens, at)]
            if not any(token.text in _BARRIERS for token in body):
                continue
            for type_name, name, sign in zip(body, body[1:], body[2:], strict=False):
                is_declared = type_name.kind == name.kind == "word" and sign.text == "["
                if is_declared and type_name.text not in _NO_TYPES:
                    yield _Cause(
                        name.line,
                        f"Each thread has its own {name.text}, which no other thread sees. For one "
                        "array of the whole block, write __shared__ before it",
                    )


def _swapped(source: Source) -> Iterator[_Cause]:
    """Launches whose first number has the name of a block's, and the second that of a grid's."""
    tokens = _code(source)
    for at in range(len(tokens)):
        if [token.text for token in tokens[at : at + 3]] != ["<", "<", "<"]:
            continue
        numbers = list(_arguments(tokens, at + 3))
        if len(numbers) < 2 or len(numbers[0]) != 1 or not numbers[1]:
            continue
        first, second = numbers[0][0].text, numbers[1][0].text
        if _OF_A_BLOCK.fullmatch(first) and _OF_A_GRID.fullmatch(second):
            yield _Cause(
                tokens[at].line,
                f"A launch is <<<blocks, threads per block>>>, but {first} comes first here: the "
                "two may be swapped",
                leads_to=_OF_WRONG_BLOCKS,
            )


def _over_a_warp(source: Source) -> Iterator[_Cause]:
    """Shuffles by as many lanes as a warp has, in a first step or in each."""
    tokens = _code(source)
    for at, token in enumerate(tokens):
        if token.text not in _RELATIVE_SHUFFLES or tokens[at + 1 : at + 2] == []:
            continue
        arguments = list(_arguments(tokens, at + 2))
        if len(arguments) < 3 or len(arguments[2]) != 1:
            continue
        offset = arguments[2][0]
        if any(_is_warp_size(value, tokens) for value in (offset, *_values(offset, tokens))):
            yield _Cause(
                offset.line,
                f"With an offset of {_WARP_SIZE}, {token.text} returns the lane's own value: no "
                f"lane of the warp is so far away. The largest step is {_WARP_SIZE // 2}",
            )


def _is_warp_size(value: Token, tokens: Sequence[Token]) -> bool:
    names = {value.text, *(each.text for each in _values(value, tokens))}
    return not names.isdisjoint({str(_WARP_SIZE), "warpSize"})


def _values(name: Token, tokens: Sequence[Token]) -> Iterator[Token]:
    """What is assigned to the variable as it is."""
    for to, sign, value, end in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        if (to.text, sign.text, end.text) == (name.text, "=", ";"):
            yield value


def _arguments(tokens: Sequence[Token], start: int) -> Iterator[Sequence[Token]]:
    """The arguments after an opening bracket, up to the one that closes it."""
    depth, begin = 0, start
    for at in range(start, len(tokens)):
        text = tokens[at].text
        is_end = depth == 0 and text in (")", ">", ";", "}")
        if is_end or (depth == 0 and text == ","):
            yield tokens[begin:at]
            begin = at + 1
        if is_end:
            return
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))


def _end_of_body(tokens: Sequence[Token], at: int) -> int:
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end].text == "{") - (tokens[end].text == "}")
        if tokens[end].text in ("}", ";") and depth == 0:
            return end
    return len(tokens)


def _code(source: Source) -> list[Token]:
    text = source.data.decode("utf-8", "replace")
    return [token for token in tokens_of(text) if token.kind != "newline"]


_ALLOCATION = re.compile(
    r"\ballocation \d+(?=(?: \(\d+ bytes?)?, allocated in line (?P<line>\d+) of (?P<file>[^\s,)]+))"
)
_ALLOCATED = re.compile(r"\bcuda\w*(?:Malloc|HostAlloc)\w*\s*\([^&;]*&\s*(\w+)\s*[,)]")


def allocated_in(lines: Sequence[str], line: int) -> str | None:
    """The variable that gets what a line allocates; None where it is not the only one."""
    names = _ALLOCATED.findall(lines[line - 1]) if 0 < line <= len(lines) else []
    return str(names[0]) if len(names) == 1 else None


def with_names(message: str, texts: Mapping[str, Sequence[str]]) -> str:
    """A finding's message with the variables in which the program keeps what it allocates.

    `texts`: the lines of each file, by its name.
    """

    def name_of(match: re.Match[str]) -> str:
        lines = texts.get(match["file"], ())
        return allocated_in(lines, int(match["line"])) or match[0]

    return _ALLOCATION.sub(name_of, message)
