// SPDX-License-Identifier: MIT
// What the machine answers in kernels: many steps of a generator at once.
#include <algorithm>
#include <array>

#include "random/streams.h"
#include "run/skip_ahead.h"

namespace lockstep {

void skip_xorwow(std::uint32_t (&words)[5], std::uint64_t steps, int log2_stride) {
  std::ranges::copy(run::skip_xorwow(std::to_array(words), steps, log2_stride), words);
}

void skip_mrg(std::uint32_t (&first)[3], std::uint32_t (&second)[3], std::uint64_t steps,
              int log2_stride) {
  std::ranges::copy(run::skip_first_mrg(std::to_array(first), steps, log2_stride), first);
  std::ranges::copy(run::skip_second_mrg(std::to_array(second), steps, log2_stride), second);
}

}  // namespace lockstep
