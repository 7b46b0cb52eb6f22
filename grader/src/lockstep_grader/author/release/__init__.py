# SPDX-License-Identifier: MIT
"""`release`: the students' copy of the repository, without anything that solves a task."""
