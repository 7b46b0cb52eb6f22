// SPDX-License-Identifier: MIT
// __managed__ variables as the host names them: the program has them at addresses of its own, where
// the same memory is mapped. A pointer that the host took leads kernels to the device's address.
#pragma once

#include <cstdint>
#include <vector>

#include "run/access.h"

namespace run {

struct HostVariable {
  std::uint64_t host = 0;  // where it begins
  std::uint64_t device = 0;
  std::uint64_t size_bytes = 0;
};

class HostVariables {
 public:
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  void add(const HostVariable& variable) { all_.push_back(variable); }
  bool overlaps(std::uint64_t begin, std::uint64_t size_bytes) const;

  // Gives lanes at one of the host's addresses the device's.
  void translate(Access& access) const;

 private:
  std::vector<HostVariable> all_;
};

}  // namespace run
