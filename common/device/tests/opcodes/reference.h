// SPDX-License-Identifier: MIT
// Runs an instruction over the operands of operands.h and compares it with a function that says the
// same in another way.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/opcodes/one_warp.h"
#include "tests/opcodes/operands.h"

namespace opcodes {

// sources: one register per domain, numbered from 50; the result is in register 0.
template <class Reference>
void compare(const std::string& words, char result, const std::string& kinds,
             const std::vector<std::string>& domains, Reference reference) {
  const auto name = [](char kind, int number) {
    return std::string("%") + kind + std::to_string(number);
  };
  std::string text = words + " " + name(result, 0);
  for (std::size_t s = 0; s < domains.size(); ++s) {
    text += ", " + name(kinds[s], 50 + static_cast<int>(s));
  }
  OneWarp warp(text);
  for (int first = 0; first < kNumTuples; first += 32) {
    for (int lane = 0; lane < 32; ++lane) {
      for (std::size_t s = 0; s < domains.size(); ++s) {
        warp.set(name(kinds[s], 50 + static_cast<int>(s)), lane,
                 operand(domains[s], first + lane, static_cast<int>(s)));
      }
    }
    warp.run();
    for (int lane = 0; lane < 32; ++lane) {
      std::uint64_t s[4] = {};
      for (std::size_t k = 0; k < domains.size(); ++k) {
        s[k] = operand(domains[k], first + lane, static_cast<int>(k));
      }
      std::uint64_t expected = reference(s);
      if (result == 'r') expected &= 0xffffffff;
      if (result == 'h') expected &= 0xffff;
      ASSERT_EQ(warp.get(name(result, 0), lane), expected)
          << text << std::hex << " of " << s[0] << " " << s[1] << " " << s[2] << " " << s[3];
    }
  }
}

}  // namespace opcodes
