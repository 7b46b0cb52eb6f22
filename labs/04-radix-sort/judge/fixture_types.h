// SPDX-License-Identifier: MIT
// Signed keys and floats, which 05b and 06 sort, and ranges of bits, which 05b sorts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fixture.h"

namespace lab_judge {

class TypesFixture : public SortFixture {
 protected:
  void expect_signed_keys_sorted();
  void expect_floats_sorted();
  void expect_special_floats_in_their_places();
  void expect_ranges_of_bits_sorted();

  std::optional<Failure> sort_signed(const Keys& h_bits);
  std::optional<Failure> sort_floats(const std::vector<float>& h_in);
  std::optional<Failure> sort_bits(const Keys& h_in, int begin_bit, int end_bit);

  // A sort of few keys may compare each with all, for which the device takes a third of a second
  // at 4097 keys.
  const std::vector<int> sizes_ =
      judge::kOnGpu ? std::vector<int>{1, 2, 31, 32, 33, 255, 257, 1000, 1025, 4097, 8193, 12289}
                    : std::vector<int>{1, 2, 31, 32, 33, 257, 1025, 2049, 8192, 12289};

 private:
  // A key's type matters at no other size. One key, a partial warp, and both sides of a tile.
  const std::vector<int> type_sizes_ = judge::kOnGpu ? sizes_ : std::vector<int>{1, 33, 1025, 8193};
};

}  // namespace lab_judge
