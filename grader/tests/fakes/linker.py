# SPDX-License-Identifier: MIT
"""A linker whose product is the source itself."""

import os
import shutil
import sys
from pathlib import Path

source, work = Path(sys.argv[1]), Path(sys.argv[2])
text = source.read_text("utf-8")
if "UNDEFINED" in text:
    sys.exit(f"/usr/bin/ld: rung.o: in function `f':\n{source}:7: undefined reference to `g()'")
trouble = os.environ.get("FAKE_LINKER", "")  # whatever is linked
if trouble == "NO_LIBRARY":
    sys.exit("/usr/bin/ld: cannot find -lsimt")
if trouble != "NOTHING_MADE":
    shutil.copy(source, work / "worker")
