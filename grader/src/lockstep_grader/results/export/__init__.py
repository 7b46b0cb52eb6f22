# SPDX-License-Identifier: MIT
"""`./lab export`: grade.json as the documents that learning platforms, CI and gradebooks read."""
