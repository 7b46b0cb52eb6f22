// SPDX-License-Identifier: MIT
// What the checks remember about device memory. It follows what happens outside of kernels.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "check/reserved.h"
#include "check/shadow.h"
#include "memory/book.h"

namespace check {

enum class Interest { kAll, kWrites };

class DeviceShadow {
 public:
  DeviceShadow();

  const Shadow& shadow() const { return shadow_; }

  // Whether a byte may be read or written: it lies in a live allocation, and was written since. One
  // flag answers both questions. In __constant__ memory no flag is set, because a kernel's write
  // there is always one to look at.
  const ByteFlags& flags() const { return shadow_.written; }

  void begin(const memory::Allocation& allocation, bool initialised);
  void end(const memory::Allocation& allocation);
  void set_written(std::uint64_t address, std::uint64_t size_bytes);
  void copy_written(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes);

  // A remembered access to [begin, end) by a block from first_block to before end_block.
  std::optional<Earlier> find(std::uint64_t begin, std::uint64_t end, std::uint32_t first_block,
                              std::uint32_t end_block, Interest interest) const;
  void forget_all();  // accesses

 private:
  static constexpr std::uint64_t kChunkBytes = std::uint64_t{2} << 20;  // recorded or not

  void make_room(std::uint64_t address, std::uint64_t size_bytes);
  void clear_flags(std::uint64_t address, std::uint64_t size_bytes);
  template <class Visit>
  void for_each_granule(std::uint64_t address, std::uint64_t size_bytes, Visit visit) const;

  Reserved records_;
  Reserved digests_;
  Reserved flags_;
  Shadow shadow_;
  std::bitset<memory::kDeviceRangeBytes / kChunkBytes> has_room_;
};

}  // namespace check
