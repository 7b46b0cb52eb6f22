// SPDX-License-Identifier: MIT
// Something for each unit of device memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "memory/address_map.h"

namespace timing {

// A cell for each `unit_bytes` of device memory, a zero until it is written.
template <class Cell, std::uint64_t unit_bytes>
class AddressTable {
 public:
  // The address is of device memory.
  Cell& at(std::uint64_t address) {
    const std::uint64_t offset = address - memory::kDeviceBase;
    const std::size_t number = offset / kPageBytes;
    if (pages_.size() <= number) pages_.resize(number + 1);
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) {
      page = std::make_unique<Page>();
      used_.push_back(number);
    }
    return (*page)[offset % kPageBytes / unit_bytes];
  }
  void clear() {
    for (const std::size_t number : used_) pages_[number] = nullptr;
    used_.clear();
  }
  template <class Visit>
  void for_each(Visit visit) {  // cell of a page that is in use
    for (const std::size_t number : used_) std::ranges::for_each(*pages_[number], visit);
  }

 private:
  static constexpr std::uint64_t kPageBytes = 1 << 16;
  using Page = std::array<Cell, kPageBytes / unit_bytes>;

  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<std::size_t> used_;
};

}  // namespace timing
