// SPDX-License-Identifier: MIT
#include "check/plain_poll.h"

#include <algorithm>
#include <bit>

namespace check {

void PlainPolls::begin_launch() {
  quiet_steps_ = 0;
  watched_.clear();
}

void PlainPolls::note_activity(std::uint64_t changes, std::uint64_t switches) {
  changes_ = changes;
  switches_ = switches;
  quiet_steps_ = 0;
}

void PlainPolls::watch(const run::Warp& warp) {
  forget(warp);
  watched_.push_back({&warp, {}});
}

void PlainPolls::forget(const run::Warp& warp) {
  std::erase_if(watched_, [&](const Watched& entry) { return entry.warp == &warp; });
}

void PlainPolls::fence(const run::Warp& warp) {
  quiet_steps_ = 0;
  if (is_watching()) forget(warp);
}

void PlainPolls::look(const BlockState& block, const run::Warp& warp, const run::Access& access,
                      const RaceTarget& target) {
  const auto found = std::ranges::find(watched_, &warp, &Watched::warp);
  if (found == watched_.end()) return;
  if (access.writes) return forget(warp);  // it has gone on
  const bool is_plain = access.order == run::Order::kWeak && !access.bypasses_cache;
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(access.lanes));
  const std::uint64_t address = access.address[lane];
  const bool has_record = address - target.shadow->base < target.size_bytes;
  if (!is_plain || !has_record) return;
  const Record& record = target.shadow->record(target.shadow->granule_of(address));
  const std::uint32_t word = Shadow::word_of(address);
  auto poll = std::ranges::find(found->polls, access.instruction, &Poll::instruction);
  if (poll == found->polls.end()) {
    if (found->polls.size() == kMaxPolls) return;
    poll = found->polls.insert(poll, {access.instruction, 0, 0, 0});
  }
  if (poll->address != address || poll->num_reads == 0) {
    *poll = {access.instruction, address, record.write[word], 1};
    return;
  }
  ++poll->num_reads;
  const Stamp write = record.write[word];
  if (write == poll->write) return;
  poll->write = write;
  const std::uint32_t thread = warp.thread_id(static_cast<int>(lane));
  const bool is_own = ordinal_of(write) == block.order.ordinal && thread_of(write) == thread;
  if (poll->num_reads < kManyReads || (write & kAtomicBit) == 0 || is_own) return;
  races_.report_polled({write, record.write_id[word], true}, block, thread, access,
                       target.is_shared);
}

}  // namespace check
