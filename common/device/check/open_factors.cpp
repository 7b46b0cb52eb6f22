// SPDX-License-Identifier: MIT
#include "check/open_factors.h"

#include "check/lanes.h"
#include "report/race_text.h"

namespace check {

template <class Pieces, class Visit>
void OpenFactors::for_each_piece(Pieces& pieces, const run::Access& access, Visit visit) {
  for_each_lane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t begin = access.address[lane] / kPieceBytes;
    const std::uint64_t last = (access.address[lane] + access.size_bytes - 1) / kPieceBytes;
    for (std::uint64_t i = begin; i <= last && i < pieces.size(); ++i) visit(pieces[i], lane);
  });
}

void OpenFactors::open(const run::Warp& warp, const run::Access& factors) {
  for_each_piece(pieces_, factors, [&](Piece& piece, std::uint32_t) {
    piece = {factors.instruction, warp.id, piece.num_open + 1};
  });
}

void OpenFactors::close(const run::Access& factors) {
  for_each_piece(pieces_, factors, [](Piece& piece, std::uint32_t) {
    if (piece.num_open != 0) --piece.num_open;
  });
}

void OpenFactors::look(const run::Warp& warp, const run::Access& access, Findings& findings) const {
  for_each_piece(pieces_, access, [&](const Piece& piece, std::uint32_t lane) {
    if (piece.num_open == 0 || !findings.is_new(*access.instruction, Mistake::kStillRead)) return;
    const run::Launch& launch = *warp.block->launch;
    const report::Place place = place_of(launch, *access.instruction);
    report_at(report::Kind::kRace, launch, *access.instruction,
              report::still_read_text(
                  thread_name(*warp.block, warp.thread_id(static_cast<int>(lane))), place,
                  run::kWarpSize * piece.warp, place_of(launch, *piece.product)));
  });
}

}  // namespace check
