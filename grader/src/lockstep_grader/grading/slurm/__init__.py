# SPDX-License-Identifier: MIT
"""Grading on a Slurm cluster: `spool` is what machines share, `task` runs on a node, `cluster`
talks to Slurm, `executor` puts them together, `options` is what the user may ask for."""
