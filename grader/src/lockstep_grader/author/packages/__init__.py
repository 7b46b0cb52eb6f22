# SPDX-License-Identifier: MIT
"""`./lab package`: a lab's autograder as an LMS wants it, and what such a package runs there."""
