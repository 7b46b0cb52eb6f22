// SPDX-License-Identifier: MIT
// Whether a part of a warp that uses no memory of others will do the same for ever: it comes to one
// place twice with the same values in everything that decides where it goes. However long a loop
// takes, one that makes progress is never taken for an endless one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "code/program.h"

namespace run {

struct Warp;
struct Part;

class Repetition {
 public:
  bool is_watching() const { return num_left_ != 0; }
  // Remembers the part's state. It is compared with the next few thousand.
  void begin(const Warp& warp, const code::Op* op);
  // Another block of code is entered; ends the watch where something else has happened since.
  bool is_seen_again(const Warp& warp, const code::Op* op);
  void stop() { num_left_ = 0; }

 private:
  // The rows of a function that branches, and what happens in local memory, depend on.
  struct Slice {
    std::vector<code::Slot> rows;
    bool reads_clock = false;  // then nothing is known
  };
  const Slice& slice_of(const code::Function& function);
  bool collect(const Warp& warp, std::vector<std::byte>& state);  // false: nothing is known

  std::unordered_map<const code::Function*, Slice> slices_;
  std::uint32_t num_left_ = 0;
  const Part* part_ = nullptr;
  const code::Op* op_ = nullptr;
  std::uint64_t accesses_ = 0, changes_ = 0, switches_ = 0;
  std::vector<std::byte> state_, now_;
};

}  // namespace run
