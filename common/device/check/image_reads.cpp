// SPDX-License-Identifier: MIT
#include "check/image_reads.h"

#include <algorithm>
#include <optional>

#include "check/lanes.h"
#include "report/image_text.h"

namespace check {

void check_own_writes(const DeviceShadow& device, Instructions& instructions, const run::Warp& warp,
                      const run::Access& access, std::uint32_t first_block,
                      std::uint32_t end_block) {
  const run::Launch& launch = *warp.block->launch;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t lane = lowest(rest);
    const std::uint64_t address = access.address[lane];
    const std::optional<Earlier> write = device.find(address, address + access.size_bytes,
                                                     first_block, end_block, Interest::kWrites);
    if (!write) continue;
    const std::uint32_t first = address % kWordBytes;
    const Stamp bytes = ((Stamp{1} << std::min(access.size_bytes, kWordBytes)) - 1) << first;
    if (!share_bytes(write->stamp, bytes << kBytesShift)) continue;  // its neighbour in the word
    const report::Place place = place_of(launch, instructions.find(*launch.program, write->id));
    const report::Place own = place_of(launch, *access.instruction);
    return report_at(report::Kind::kRace, launch, *access.instruction,
                     report::written_by_kernel_text(
                         thread_name(*warp.block, warp.thread_id(static_cast<int>(lane))),
                         report::line_name(place, own.file)));
  }
}

}  // namespace check
