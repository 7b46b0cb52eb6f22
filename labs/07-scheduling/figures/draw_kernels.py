# SPDX-License-Identifier: MIT
"""Draws divergence.svg, coalescing.svg and rows.svg here: python3 draw_kernels.py"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "docs" / "figures"))
from svg import Drawing

STYLE = """\
text{font:13px system-ui,sans-serif;fill:#1f2328}.h{font-weight:600;font-size:14px}
.s{font-size:11px;fill:#59636e}.m{text-anchor:middle}.e{text-anchor:end}
.off{fill:none;stroke:#d0d7de}.frame{fill:none;stroke:#656d76;stroke-width:1.5}
.k0{fill:#54aeff}.k1{fill:#f2a65a}.k2{fill:#57ab5a}.k3{fill:#b68ef0}
.k{fill:#1f2328;font-size:11px;text-anchor:middle}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9198a1}.off{stroke:#373e47}
.frame{stroke:#9198a1}.k{fill:#0d1117}}"""


def divergence() -> None:
    """Which lanes work in each loop of rung 05: as found, by parity only, and not at all."""
    kinds = [2, 0, 1, 3, 0, 2, 2, 1]  # of the 8 samples that 16 lanes share
    cell, lanes = 17, 16
    label = "Which lanes of a warp work in each loop, in three versions"
    art = Drawing(820, 250, label, STYLE)
    art.text(14, 22, "As found: 8 loops for 8 samples, 2 lanes per sample", "h")
    left, top = 92, 52
    art.text(left + lanes * cell / 2, 44, "16 lanes", "s m")
    for kind in range(4):
        for odd in range(2):
            y = top + (2 * kind + odd) * cell
            art.text(left - 8, y + 13, f"{'slope' if odd else 'value'} {kind}", "s e")
            for lane in range(lanes):
                works = kinds[lane // 2] == kind and lane % 2 == odd
                art.box(left + lane * cell, y, cell, cell, f"k{kind}" if works else "off")
    art.box(left, top, lanes * cell, 8 * cell, "frame")
    art.text(left, top + 8 * cell + 20, "1 lane in 8 works", "s")

    left = 446
    art.text(left, 22, "Kind chooses data: 2 loops", "h")
    for odd in range(2):
        for lane in range(lanes):
            style = f"k{kinds[lane // 2]}" if lane % 2 == odd else "off"
            art.box(left + lane * cell, top + odd * cell, cell, cell, style)
    art.box(left, top, lanes * cell, 2 * cell, "frame")
    art.text(left, top + 2 * cell + 20, "1 lane in 2 works", "s")

    top = 160
    art.text(left, top - 20, "A thread per sample: 1 loop for 16 samples", "h")
    for lane in range(lanes):
        art.box(left + lane * cell, top, cell, cell, f"k{(kinds * 2)[(lane * 5) % lanes]}")
    art.box(left, top, lanes * cell, cell, "frame")
    art.text(left, top + cell + 20, "all lanes work, with coefficients of their own", "s")
    art.save("divergence.svg")


def coalescing() -> None:
    """The words of an array of points that one request reads, in three versions of rung 07."""
    cell, words, lanes = 15, 48, 4
    label = "Which words of an array of points one request reads, in three versions"
    art = Drawing(830, 260, label, STYLE)
    rows = [
        ("Four points per thread: lane 0, 1, 2, 3 are 12 words apart", 12),
        ("Neighbouring points: 3 words apart", 3),
        ("Neighbouring words, for any thread", 1),
    ]
    left, top = 14, 62
    art.text(left, 22, "One request of (here) four lanes, in sectors of 8 words", "h")
    for row, (title, stride) in enumerate(rows):
        y = top + row * 66
        art.text(left, y - 8, title)
        read = {stride * lane: lane for lane in range(lanes)}
        for word in range(words):
            style = f"k{read[word]}" if word in read else "off"
            art.box(left + word * cell, y, cell, cell, style)
            axis = "xyz"[word % 3]
            art.text(left + (word + 0.5) * cell, y + 11.5, axis, "k" if word in read else "s m")
        for sector in range(words // 8):
            art.box(left + sector * 8 * cell, y, 8 * cell, cell, "frame")
        sectors = len({word // 8 for word in read})
        art.text(left + words * cell + 12, y + 12, f"{sectors} of 6")
    art.text(left + words * cell + 12, top - 8, "sectors", "s")
    art.text(
        left, top + 2 * 66 + 40, "With 32 lanes: 32, 12 and 4 sectors, of which 4 are needed.", "s"
    )
    art.save("coalescing.svg")


def rows() -> None:
    """The case study: a row of 256 as a block's, and as a warp's."""
    label = "A row of 256 items shared by a block of 256 threads, or by one warp"
    art = Drawing(850, 198, label, STYLE)
    left, width, height = 14, 380, 16
    art.text(left, 22, "dim3(256): a block per row, 32,768 blocks", "h")
    for warp in range(8):
        art.box(left + warp * width / 8, 40, width / 8, height, f"k{warp % 4}")
        art.text(left + (warp + 0.5) * width / 8, 52, f"warp {warp}", "k")
    art.box(left, 40, width, height, "frame")
    art.text(left, 80, "1 item per thread; 8 requests of 4 sectors", "s")
    art.text(left, 96, "maximum and sum: 5 shuffles each, then shared memory, 1 or 2 barriers", "s")
    art.text(left, 112, "8 warps wait for the slowest", "s")

    left = 450
    art.text(left, 22, "dim3(32, 4): a warp per row, blocks of 4 rows", "h")
    for row in range(4):
        y = 40 + row * 24
        for step in range(2):
            art.box(left + step * width / 2, y, width / 2, height, f"k{row}")
            words = f"warp {row}: float4 {step} of each lane"
            art.text(left + (step + 0.5) * width / 2, y + 12, words, "k")
        art.box(left, y, width, height, "frame")
    art.text(left, 152, "8 items per lane, in registers; 2 requests of 16 sectors", "s")
    art.text(left, 168, "maximum and sum: 5 shuffles each, no shared memory, no barrier", "s")
    art.text(left, 184, "rows do not wait for each other", "s")
    art.save("rows.svg")


if __name__ == "__main__":
    divergence()
    coalescing()
    rows()
