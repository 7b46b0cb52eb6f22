# SPDX-License-Identifier: MIT
"""A linker whose product is the source itself."""

import shutil
import sys
from pathlib import Path

source, work = Path(sys.argv[1]), Path(sys.argv[2])
text = source.read_text("utf-8")
if "UNDEFINED" in text:
    sys.exit(f"/usr/bin/ld: rung.o: in function `f':\n{source}:7: undefined reference to `g()'")
if "NO_LIBRARY" in text:
    sys.exit("/usr/bin/ld: cannot find -lsimt")
if "NOTHING_MADE" not in text:
    shutil.copy(source, work / "worker")
