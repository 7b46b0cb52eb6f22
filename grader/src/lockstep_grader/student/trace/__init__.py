# SPDX-License-Identifier: MIT
"""`trace`: one launch, recorded, as a page that replays it step by step."""
