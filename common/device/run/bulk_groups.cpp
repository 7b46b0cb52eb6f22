// SPDX-License-Identifier: MIT
// Source: PTX ISA 8.7, "Data Movement and Conversion Instructions: Bulk copy".
#include "run/bulk_groups.h"

#include <string>
#include <vector>

namespace run {
namespace {

using code::Instruction;
using code::Op;

Access access_of(Warp& warp, const BulkRead& read) {
  Access access;
  access.instruction = read.by;
  access.space = Space::kShared;
  access.owner = warp.block;
  access.reads = access.is_async = access.is_async_proxy = true;
  access.size_bytes = read.size_bytes;
  access.lanes = 1U << read.lane;
  access.address[read.lane] = access.base = read.offset;
  access.pattern = Pattern::kUniform;
  return access;
}

const Op* commit_copies(Warp& warp, const Op* op, std::uint32_t lanes) {
  for_each_lane(lanes, [&](int lane) { ++warp.bulk_groups[static_cast<std::size_t>(lane)]; });
  return op + 1;
}

const Op* wait_for_reads(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto num_left = static_cast<std::uint32_t>(op->immediate);
  std::erase_if(warp.bulk_reads, [&](const BulkRead& read) {
    const bool is_due =
        (lanes >> read.lane & 1) != 0 && read.group + num_left < warp.bulk_groups[read.lane];
    if (!is_due) return false;
    const Access access = access_of(warp, read);
    for (Monitor* const monitor : warp.engine->monitors) monitor->async_read_ends(warp, access);
    return true;
  });
  return op + 1;
}

const Op* wait_for_copies(Warp& warp, const Op* op, std::uint32_t lanes) {
  const auto num_left = static_cast<std::uint32_t>(op->immediate);
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->bulk_stores_complete(warp, lanes, num_left);
  }
  return wait_for_reads(warp, op, lanes);
}

}  // namespace

void begin_bulk_read(Warp& warp, const Instruction& copy, int lane, std::uint64_t offset,
                     std::uint32_t size_bytes) {
  if (size_bytes == 0) return;
  const auto i = static_cast<std::size_t>(lane);
  warp.bulk_reads.push_back(
      {&copy, static_cast<std::uint8_t>(lane), warp.bulk_groups[i], offset, size_bytes});
  const Access access = access_of(warp, warp.bulk_reads.back());
  for (Monitor* const monitor : warp.engine->monitors) monitor->async_read_begins(warp, access);
}

void end_bulk_reads(RunningBlock& block) {
  for (const auto& warp : block.warps) {
    if (warp->bulk_reads.empty()) continue;
    const BulkRead& read = warp->bulk_reads.front();
    report_at(
        *warp, *read.by, report::Kind::kRace,
        thread_name(*warp, read.lane) +
            " ends, and so does its block, while the bulk copy that it started may still "
            "read the block's shared memory. The thread must wait first: " +
            (read.group < warp->bulk_groups[read.lane] ? "" : "cp.async.bulk.commit_group, then ") +
            "cp.async.bulk.wait_group.read 0");
    warp->bulk_reads.clear();
  }
}

code::Handler bulk_group_handler(Op& op, const Instruction& instruction) {
  if (instruction.has("commit_group")) return commit_copies;
  if (!instruction.has("wait_group")) return nullptr;
  op.immediate = static_cast<std::int64_t>(instruction.operands.at(0).bits);
  return instruction.has("read") ? wait_for_reads : wait_for_copies;
}

}  // namespace run
