// SPDX-License-Identifier: MIT
#include "fixture/device_loop.cuh"
#include "workload_checks.h"

namespace lab_judge {
namespace {

struct Breaks {
  const int* d_in;
  const int* d_out;
  std::size_t begin;
  bool is_inclusive;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t offset) const {
    const std::size_t i = begin + offset;
    const auto word = [](const int* d_words, std::size_t index) {
      return static_cast<std::uint32_t>(d_words[index]);
    };
    std::uint32_t expected = i == 0 ? 0 : word(d_out, i - 1);
    if (is_inclusive) {
      expected += word(d_in, i);
    } else if (i > 0) {
      expected += word(d_in, i - 1);
    }
    return word(d_out, i) != expected ? 1 : 0;
  }
};

}  // namespace

std::uint64_t count_breaks(const int* d_in, const int* d_out, std::size_t begin, std::size_t end,
                           bool is_inclusive) {
  return judge::sum_over(end - begin, Breaks{d_in, d_out, begin, is_inclusive});
}

}  // namespace lab_judge
