// SPDX-License-Identifier: MIT
#include "check/races.h"

#include <utility>

#include "check/shared_layout.h"
#include "check/streams.h"
#include "report/memory_text.h"
#include "report/race_text.h"

namespace check {
namespace {

// Accesses that may communicate on purpose. A plain read next to atomics may be an optimistic read
// that a compare-and-swap verifies afterwards, as in NVIDIA's own examples.
bool are_meant(Stamp earlier, bool earlier_writes, Stamp now, bool now_writes, bool is_shared,
               bool may_be_optimistic, const Order& order) {
  if ((earlier & kKindBits) != 0 && (now & kKindBits) != 0) {
    // In shared memory, programs often use volatile as a barrier between the lanes of a warp, which
    // it is not. With fences, they may be polling.
    const bool is_warp_synchronous = is_shared && (earlier & now & kVolatileBit) != 0 &&
                                     same_warp(earlier, now) && !order.has_fences(earlier);
    return !is_warp_synchronous;
  }
  return (!earlier_writes && (now & kAtomicBit) != 0) ||
         (!now_writes && may_be_optimistic && (earlier & kAtomicBit) != 0);
}

// "shared memory (tile)", "global memory (d_in)"
std::string memory_name(const run::Launch& launch, std::uint64_t address, bool is_shared) {
  if (is_shared) {
    const SharedLayout layout(*launch.kernel);
    const report::SharedRoom* const variable = layout.find(address);
    const bool is_inside = variable != nullptr && address < variable->end();
    return "shared memory" + (is_inside ? " (" + variable->name + ")" : "");
  }
  const memory::Allocation* const found = memory::find(address);
  return "global memory" +
         (found == nullptr ? "" : " (" + report::short_name_of(room_of(*found)) + ")");
}

}  // namespace

bool Races::conflict(Stamp earlier, bool earlier_writes, Stamp now, bool now_writes, bool is_shared,
                     bool may_be_optimistic, const Reader& reader) const {
  if (earlier == 0 || same_thread(earlier, now)) return false;
  const bool is_current = earlier >= order_.first_current() ||
                          streams_.concurrent_kernel_of(ordinal_of(earlier)) != nullptr;
  return is_current && share_bytes(earlier, now) &&
         !are_meant(earlier, earlier_writes, now, now_writes, is_shared, may_be_optimistic,
                    order_) &&
         !order_.is_ordered(earlier, reader);
}

void Races::look_at_update(const Earlier& earlier, Stamp now, const Reader& reader,
                           const BlockState& block, const run::Access& read, bool is_shared) {
  const bool may_race = earlier.stamp >= order_.first_current() &&
                        (earlier.stamp & kAtomicBit) != 0 && !same_thread(earlier.stamp, now) &&
                        share_bytes(earlier.stamp, now) &&
                        !order_.is_ordered(earlier.stamp, reader);
  if (!may_race) return;
  const run::Launch& launch = *block.block->launch;
  const code::Instruction& update = instructions_.find(*launch.program, earlier.id);
  if (update.id != read.instruction->guarded_update) return;
  noted_.insert(read.instruction->id);
  const report::Place place = place_of(launch, launch.running, *read.instruction);
  report::note(finding_at(report::Kind::kRace, launch, *read.instruction,
                          report::guarded_update_text(thread_name(*block.block, thread_of(now)),
                                                      place, is_shared, place_of(launch, update))));
}

bool Races::is_new(std::uint32_t id, std::uint32_t earlier_id) {
  constexpr int kMaxTries = 64;  // two writes may have written the same value the first time
  return ++counts_[{id, earlier_id}] <= kMaxTries;
}

void Races::report(const Earlier& earlier, const BlockState& block, std::uint32_t thread,
                   const run::Access& access, bool is_shared, Values values) {
  report(earlier, block, thread, access, is_shared, false, values);
}

void Races::report_polled(const Earlier& earlier, const BlockState& block, std::uint32_t thread,
                          const run::Access& poll, bool is_shared) {
  report(earlier, block, thread, poll, is_shared, true, Values::kUnknown);
}

void Races::report(const Earlier& earlier, const BlockState& block, std::uint32_t thread,
                   const run::Access& now, bool is_shared, bool is_polled, Values values) {
  if (values == Values::kAgree && earlier.id == now.instruction->id) return;
  if (!is_new(now.instruction->id, earlier.id)) return;
  const run::Launch& launch = *block.block->launch;
  const bool is_same_block = ordinal_of(earlier.stamp) == block.order.ordinal;
  const Work* const other = is_same_block || earlier.stamp >= order_.first_current()
                                ? nullptr
                                : streams_.concurrent_kernel_of(ordinal_of(earlier.stamp));
  const code::Program* const other_program =
      other == nullptr || other->program == nullptr ? launch.program : other->program;
  const code::Instruction& other_instruction = instructions_.find(*other_program, earlier.id);
  std::uint32_t earlier_thread = thread_of(earlier.stamp);
  report::Race race;
  race.thread = thread_name(*block.block, thread);
  race.place = place_of(launch, launch.running, *now.instruction);
  race.writes = now.writes;
  race.is_shared = is_shared;
  race.memory = memory_name(launch, now.address[thread % run::kWarpSize], is_shared);
  race.earlier_writes = earlier.writes;
  race.is_earlier_async = other_instruction.has("mma_async") || other_instruction.has("bulk");
  race.is_same_block = is_same_block;
  race.is_polled = is_polled;
  if (other == nullptr) {
    const report::ThreadId id = thread_id(*block.block, thread_of(earlier.stamp));
    race.earlier_thread = report::thread_in_block_name(id.thread, id.block_dim);
    race.earlier_place = place_of(launch, other_instruction);
  } else {
    race.earlier_thread =
        report::thread_in_block_name({thread_of(earlier.stamp), 0, 0}, {1024, 1, 1});
    race.earlier_place = run::place_in(*other_program, other_instruction);
    race.other_kernel = other->kernel;
  }
  // Lanes of a warp run abreast, so neither access is the later one. They are named as if threads
  // ran one after another: first that of the higher thread, which meets the other one's.
  const bool is_turned_round =
      other == nullptr && is_same_block && !is_polled && earlier.id != now.instruction->id &&
      thread_of(earlier.stamp) / 32 == thread / 32 && thread_of(earlier.stamp) > thread;
  if (is_turned_round) {
    std::swap(race.place, race.earlier_place);
    std::swap(race.writes, race.earlier_writes);
    const report::ThreadId id = thread_id(*block.block, thread);
    race.earlier_thread = report::thread_in_block_name(id.thread, id.block_dim);
    std::swap(thread, earlier_thread);
    race.thread = thread_name(*block.block, thread);
  }
  if (block.last_barrier != nullptr) race.last_barrier = place_of(launch, *block.last_barrier);
  std::string message = report::race_text(race);
  if (other == nullptr && values == Values::kAgree) {
    if (race.place == race.earlier_place) return;
    message += report::same_value_text();
  }
  kernels_.insert(launch.kernel->readable);
  report::Finding finding =
      run::finding_at(report::Kind::kRace, launch, race.place, std::move(message));
  finding.thread = static_cast<std::int32_t>(thread);
  if (other == nullptr) {
    // Our ordinals go on from launch to launch.
    const std::uint64_t back = block.order.ordinal - ordinal_of(earlier.stamp);
    const auto here = static_cast<std::int64_t>(block.block->linear);
    finding.race = {
        {here, block.block->ordinal, thread, race.place.file, race.place.line, race.writes},
        {is_same_block ? here : -1, block.block->ordinal - back, earlier_thread,
         race.earlier_place.file, race.earlier_place.line, race.earlier_writes}};
  }
  report::report(std::move(finding));
}

}  // namespace check
