# SPDX-License-Identifier: MIT
"""Grading on a Slurm cluster: `options` of the user, `spool` that machines share, `task` on a node,
`run` on the machine that submits."""
