# SPDX-License-Identifier: MIT
"""What gdb loads: it runs in gdb's own Python, so it uses gdb and the standard library alone."""
