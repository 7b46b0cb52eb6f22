// SPDX-License-Identifier: MIT
// Copies in host memory of buffers of the judge's, for functions whose contract takes host
// pointers.
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
  // data: the batch's; must outlive this object.
  explicit HostCopies(std::vector<wire::HostData>& data) : data_(data) {}

  // Copies the buffer that begins at `offset` of the arena, with its guard zones, and returns where
  // its copy begins: aligned as by malloc. Throws BadRequest if the request does not have it.
  std::byte* make(std::uint64_t offset);

  // Copies all of them back, including writes past their ends: the judge reports those.
  void give_back();

 private:
  struct Copy {
    wire::HostData* of;
    std::vector<std::byte> bytes;
  };
  std::vector<wire::HostData>& data_;
  std::list<Copy> copies_;
};

}  // namespace worker
