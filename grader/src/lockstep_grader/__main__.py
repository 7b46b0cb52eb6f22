# SPDX-License-Identifier: MIT
"""`python -m lockstep_grader`, or this file itself, which is what the `lab` launcher runs.

Running it by its path keeps files in the caller's folder from shadowing a module. -P would do the
same, but Python 3.10 lacks it.
"""

import sys

if not __package__:  # run by its path, and that folder holds modules named like the library's
    sys.path[0] = sys.path[0].rpartition("/")[0]

from lockstep_grader.cli.environment import complain_of_missing, open_streams

open_streams()
try:
    from lockstep_grader.cli.main import main
except ModuleNotFoundError as error:
    sys.exit(complain_of_missing(error))

sys.exit(main(sys.argv[1:]))
