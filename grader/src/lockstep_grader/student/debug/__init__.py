# SPDX-License-Identifier: MIT
"""`debug`: gdb on the emulated program, by thread. `inside` is what gdb itself runs."""
