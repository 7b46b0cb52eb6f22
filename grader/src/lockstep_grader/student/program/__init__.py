# SPDX-License-Identifier: MIT
"""`run`: a CUDA program with a main() of its own, built and run on the emulator."""
