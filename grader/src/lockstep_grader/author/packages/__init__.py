# SPDX-License-Identifier: MIT
"""`./lab package`: a lab's autograder for an LMS, and what such a package runs there."""
