# SPDX-License-Identifier: MIT
"""`debug`: stops kernels, thread by thread, at a prompt or for an editor."""
