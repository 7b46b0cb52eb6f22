// SPDX-License-Identifier: MIT
// What the checks remember about a block's shared memory. Addresses are offsets in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "check/reserved.h"
#include "check/shadow.h"

namespace check {

class SharedShadow {
 public:
  // For a fresh block: nothing is written. `forgets`: accesses of earlier blocks, too; otherwise
  // their stamps tell that they are of no interest.
  void reset(std::uint32_t size_bytes, bool forgets);

  const Shadow& shadow() const { return shadow_; }
  std::uint32_t size_bytes() const { return size_bytes_; }

  void clear_written(std::uint64_t offset, std::uint64_t size_bytes);

 private:
  void make_room(std::uint32_t size_bytes);

  std::uint32_t size_bytes_ = 0;
  std::uint32_t capacity_bytes_ = 0;
  std::unique_ptr<Reserved> room_;
  Shadow shadow_;
};

}  // namespace check
