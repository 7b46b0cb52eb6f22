# SPDX-License-Identifier: MIT
"""`trace`: one launch on the emulator, recorded, as a page that replays it step by step."""
