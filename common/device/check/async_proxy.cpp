// SPDX-License-Identifier: MIT
#include "check/async_proxy.h"

#include <algorithm>

#include "check/lanes.h"
#include "report/race_text.h"

namespace check {

void AsyncProxy::begin(std::uint32_t size_bytes, std::uint32_t num_threads) {
  pieces_.assign((size_bytes + kPieceBytes - 1) / kPieceBytes, {});
  fences_.assign(num_threads, 0);
  clock_ = met_ = fenced_ = 0;
}

template <class Visit>
void AsyncProxy::for_each_piece(const run::Access& access, Visit visit) {
  for_each_lane(access.lanes, [&](std::uint32_t lane) {
    const std::uint64_t begin = access.address[lane] / kPieceBytes;
    const std::uint64_t last = (access.address[lane] + access.size_bytes - 1) / kPieceBytes;
    for (std::uint64_t i = begin; i <= last && i < pieces_.size(); ++i) visit(pieces_[i], lane);
  });
}

void AsyncProxy::fence(const run::Warp& warp, std::uint32_t lanes) {
  ++clock_;
  for_each_lane(
      lanes, [&](std::uint32_t lane) { fences_[warp.thread_id(static_cast<int>(lane))] = clock_; });
  fenced_ = std::max(fenced_, met_);
}

void AsyncProxy::open(const run::Warp& warp, const run::Access& source) {
  const bool is_product = source.instruction->words.front() == "wgmma";
  const std::uint32_t thread =
      warp.thread_id(is_product ? 0 : static_cast<int>(lowest(source.lanes)));
  for_each_piece(source, [&](Piece& piece, std::uint32_t) {
    piece.reader = source.instruction;
    piece.reading_thread = thread;
    ++piece.num_open;
  });
}

void AsyncProxy::close(const run::Access& source) {
  for_each_piece(source, [](Piece& piece, std::uint32_t) {
    if (piece.num_open != 0) --piece.num_open;
  });
}

void AsyncProxy::look(const run::Warp& warp, const run::Access& access, Findings& findings) {
  const bool may_miss = access.is_async_proxy && access.reads;
  const bool may_be_missed = !access.is_async_proxy && !access.reads;
  if (!may_miss && !access.writes) return;
  const auto thread_of = [&](std::uint32_t lane) { return warp.thread_id(static_cast<int>(lane)); };
  const auto tell = [&](Mistake mistake, auto text, std::uint32_t lane, std::uint32_t other,
                        const code::Instruction& by) {
    if (!findings.is_new(*access.instruction, mistake)) return;
    const run::Launch& launch = *warp.block->launch;
    report_at(
        report::Kind::kRace, launch, *access.instruction,
        text(thread_name(*warp.block, thread_of(lane)),
             place_of(launch, launch.running, *access.instruction), other, place_of(launch, by)));
  };
  for_each_piece(access, [&](Piece& piece, std::uint32_t lane) {
    if (may_be_missed) piece.write = {access.instruction, thread_of(lane), clock_};
    if (may_miss && !is_visible(piece.write)) {
      tell(Mistake::kUnfenced, report::unfenced_text, lane, piece.write.thread, *piece.write.by);
    }
    if (access.writes && piece.num_open != 0) {
      const bool is_product = piece.reader->words.front() == "wgmma";
      tell(Mistake::kStillRead,
           is_product ? report::product_reads_text : report::bulk_copy_reads_text, lane,
           piece.reading_thread, *piece.reader);
    }
  });
}

}  // namespace check
