# SPDX-License-Identifier: MIT
"""`release`: the students' copy of the repository, with nothing in it that solves a task."""
