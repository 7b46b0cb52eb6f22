# SPDX-License-Identifier: MIT
"""Started by a judge in the worker's place: hands the worker's channels on, and waits.

So the judge does not depend on the debugger, and the debugger keeps its terminal.
"""

import socket
import sys

_CHANNELS = (3, 4)  # wire.h: the socket to the judge, and the shared memory

with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    socket.send_fds(line, [b"channels"], _CHANNELS)
    line.recv(1)  # until the session ends
