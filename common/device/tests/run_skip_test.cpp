// SPDX-License-Identifier: MIT
// Random states many steps ahead are those that single steps lead to.
#include <gtest/gtest.h>

#include "run/skip_ahead.h"

namespace {

using run::MrgNumbers;
using run::XorwowWords;

TEST(SkipAhead, XorwowTakesTheStepsOfThePaper) {
  const XorwowWords begin = {123456789, 362436069, 521288629, 88675123, 5783321};
  XorwowWords now = begin;
  for (std::uint64_t steps = 1; steps <= 100; ++steps) {
    const std::uint32_t mixed = now[0] ^ (now[0] >> 2);
    const std::uint32_t last = now[4];
    now = {now[1], now[2], now[3], last, last ^ (last << 4) ^ mixed ^ (mixed << 1)};
    ASSERT_EQ(run::skip_xorwow(begin, steps, 0), now) << steps;
  }
  EXPECT_EQ(run::skip_xorwow(begin, 0, 67), begin);
  EXPECT_EQ(run::skip_xorwow(begin, 3, 5), run::skip_xorwow(begin, 96, 0));
}

TEST(SkipAhead, MrgTakesTheStepsOfThePaper) {
  const std::uint64_t first_modulus = 4294967087, second_modulus = 4294944443;
  MrgNumbers first = {12345, 12346, 4294967086}, second = {12345, 4294944442, 7};
  const MrgNumbers first_begin = first, second_begin = second;
  for (std::uint64_t steps = 1; steps <= 100; ++steps) {
    const std::uint64_t p = (1403580 * std::uint64_t{first[1]} +
                             (first_modulus - 810728) * std::uint64_t{first[0]} % first_modulus) %
                            first_modulus;
    const std::uint64_t q =
        (527612 * std::uint64_t{second[2]} +
         (second_modulus - 1370589) * std::uint64_t{second[0]} % second_modulus) %
        second_modulus;
    first = {first[1], first[2], static_cast<std::uint32_t>(p)};
    second = {second[1], second[2], static_cast<std::uint32_t>(q)};
    ASSERT_EQ(run::skip_first_mrg(first_begin, steps, 0), first) << steps;
    ASSERT_EQ(run::skip_second_mrg(second_begin, steps, 0), second) << steps;
  }
  EXPECT_EQ(run::skip_first_mrg(first_begin, 1, 127),
            run::skip_first_mrg(run::skip_first_mrg(first_begin, 1, 126), 1, 126));
}

}  // namespace
