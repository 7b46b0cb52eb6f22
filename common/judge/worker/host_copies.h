// SPDX-License-Identifier: MIT
// Copies of the judge's buffers in host memory, for functions whose contract takes host pointers:
// the arena is device memory on cuda.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <stdexcept>
#include <vector>

#include "protocol/wire.h"

namespace worker {

// The judge sent arguments that do not fit the function's signature.
class BadRequest : public std::logic_error {
  using std::logic_error::logic_error;
};

// The host copies of one call's arguments.
class HostCopies {
 public:
  // regions: the batch's; must outlive this object.
  HostCopies(std::byte* d_arena, const std::vector<wire::Region>& regions)
      : d_arena_(d_arena), regions_(regions) {}

  // Copies the buffer that begins at `offset` of the arena, with its guard zones, to host memory,
  // and returns where its copy begins: aligned as by malloc. Throws BadRequest if there is none.
  std::byte* make(std::uint64_t offset);

  // Copies all of them back, including writes past their ends: the judge reports those.
  void give_back();

 private:
  struct Copy {
    std::byte* d_begin;  // of the guard zone in front
    std::vector<std::byte> h_bytes;
  };
  std::byte* d_arena_;
  const std::vector<wire::Region>& regions_;
  std::list<Copy> copies_;
};

}  // namespace worker
