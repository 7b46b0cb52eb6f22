# SPDX-License-Identifier: MIT
"""`python -m lockstep_grader`, or this file itself, which is what the `lab` launcher runs.

Run by its path, no file in the caller's folder shadows a module; -P would do that, but Python 3.10
does not have it.
"""

import sys

if not __package__:  # run by its path, and that folder holds modules named like the library's
    sys.path[0] = sys.path[0].rpartition("/")[0]

try:
    from lockstep_grader.cli.main import main
except ModuleNotFoundError as error:
    from lockstep_grader.cli.environment import complain_of_missing

    sys.exit(complain_of_missing(error))

sys.exit(main(sys.argv[1:]))
