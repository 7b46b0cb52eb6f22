# SPDX-License-Identifier: MIT
"""What a run looks like to which others, on the same GPU, left too little memory or time."""

from lockstep_grader.model.grades import FindingKind, Outcome, TestResult

_KINDS = {
    FindingKind.OUT_OF_MEMORY,
    FindingKind.LAUNCH_ERROR,
    FindingKind.CRASH,
    FindingKind.TIMEOUT,
}


def may_be_anothers(test: TestResult) -> bool:
    """Whether the test may have failed because of others. Then it is repeated without them."""
    kinds = {finding.kind for finding in test.findings}
    return test.outcome is Outcome.FAILED and (not kinds or bool(kinds & _KINDS))
