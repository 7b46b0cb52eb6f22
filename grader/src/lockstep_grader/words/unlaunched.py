# SPDX-License-Identifier: MIT
"""A kernel that is written and never launched: the judge sees only an output without a value."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from lockstep_grader.intake.submission import Source
from lockstep_grader.model.grades import Finding, FindingKind, TestResult
from lockstep_grader.rules.tokens import Token, tokens_of

_IN_FRONT = frozenset({"__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__block_size__"})


def with_forgotten_launch(tests: tuple[TestResult, ...], source: Source) -> tuple[TestResult, ...]:
    """The tests; an output that was never written is blamed on the first kernel without a use."""
    if not any(map(_is_unwritten, (finding for test in tests for finding in test.findings))):
        return tests
    forgotten = next(_never_named(source.data.decode("utf-8", "replace")), None)
    if forgotten is None:
        return tests

    def told(finding: Finding) -> Finding:
        if not _is_unwritten(finding):
            return finding
        message = f"{finding.message}; {forgotten.text} is never launched"
        return replace(finding, message=message, file=source.file_name, line=forgotten.line)

    return tuple(replace(test, findings=tuple(map(told, test.findings))) for test in tests)


def _is_unwritten(finding: Finding) -> bool:
    return finding.kind is FindingKind.OUTPUT_UNWRITTEN and not finding.line


def _never_named(text: str) -> Iterator[Token]:
    """The names of kernels that are only defined or declared."""
    tokens = [token for token in tokens_of(text) if token.kind != "newline"]
    heads = [token for at in range(len(tokens)) if (token := _kernel_at(tokens, at))]
    declared = Counter(token.text for token in heads)
    used = Counter(token.text for token in tokens)
    return (token for token in heads if used[token.text] == declared[token.text])


def _kernel_at(tokens: list[Token], at: int) -> Token | None:
    """The name of the kernel that the __global__ at this place declares."""
    if tokens[at].text != "__global__":
        return None
    for name, sign in zip(tokens[at + 1 :], tokens[at + 2 :], strict=False):
        if name.text in ("{", ";"):
            return None
        if name.kind == "word" and sign.text == "(" and name.text not in _IN_FRONT:
            return name
    return None
