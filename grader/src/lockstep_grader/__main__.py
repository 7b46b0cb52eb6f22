# SPDX-License-Identifier: MIT
"""`python -m lockstep_grader`: what the `lab` launcher runs."""

import sys

from lockstep_grader.cli import main

sys.exit(main(sys.argv[1:]))
