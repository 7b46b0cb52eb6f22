# SPDX-License-Identifier: MIT
"""A rung's source to a worker, by clang or nvcc, under limits."""
